import Cofferdam

/// Compares a translator, which reports what it cannot read, with a hand-written loop, which does not.
func translateBenchmark() throws -> [Measurement] {
    let animals = (0..<1_000_000).map {
        VendorAnimal(id: $0, name: "animal", kind: $0.isMultiple(of: 3) ? "bird" : "mammal")
    }
    let points = (0..<1_000_000).map { VendorPoint(x: Int32($0), y: 7) }
    return try [
        translate("translate.1M", animals, by: Translator(AnimalTranslation()), loop: animalsByHand),
        translate("translate.1M.closure", animals, by: .animal, loop: animalsByHand),
        translate("translate.1M.trivial", points, by: Translator(PointTranslation()), loop: pointsByHand),
        translate("translate.1M.trivial.closure", points, by: .point, loop: pointsByHand),
    ]
}

private func translate<Source, Target>(
    _ name: String,
    _ sources: [Source],
    by translator: Translator<Source, Target>,
    loop: ([Source]) -> [Target]
) throws -> Measurement {
    try Measurement.interleaved(name, against: "loop by hand", rounds: 41, by: .minimum) {
        var report = TranslationReport()
        keep(try translator.translate(sources, at: "items", into: &report))
    } theirs: {
        keep(loop(sources))
    }
}

// MARK: Strings and an enumeration

private struct VendorAnimal {
    var id: Int
    var name: String
    var kind: String
}

private struct DomainAnimal {
    enum Group { case mammal, bird, unknown(String) }
    var id: Int
    var name: String
    var group: Group
}

private struct AnimalTranslation: Translation {
    func read(_ source: VendorAnimal, _ report: inout TranslationReport) throws(TranslationIssue) -> DomainAnimal {
        let group: DomainAnimal.Group
        switch source.kind {
        case "mammal": group = .mammal
        case "bird": group = .bird
        default:
            report.add(TranslationIssue("unknown kind", at: "kind", raw: source.kind, severity: .warning))
            group = .unknown(source.kind)
        }
        return DomainAnimal(id: source.id, name: source.name, group: group)
    }
}

extension Translator where Source == VendorAnimal, Target == DomainAnimal {
    /// A closure, as in adapters.
    fileprivate static var animal: Self {
        Translator { source, report throws(TranslationIssue) in
            let group: DomainAnimal.Group
            switch source.kind {
            case "mammal": group = .mammal
            case "bird": group = .bird
            default:
                report.add(TranslationIssue("unknown kind", at: "kind", raw: source.kind, severity: .warning))
                group = .unknown(source.kind)
            }
            return DomainAnimal(id: source.id, name: source.name, group: group)
        }
    }
}

private func animalsByHand(_ animals: [VendorAnimal]) -> [DomainAnimal] {
    var targets: [DomainAnimal] = []
    targets.reserveCapacity(animals.count)
    for animal in animals {
        let group: DomainAnimal.Group =
            switch animal.kind {
            case "mammal": .mammal
            case "bird": .bird
            default: .unknown(animal.kind)
            }
        targets.append(DomainAnimal(id: animal.id, name: animal.name, group: group))
    }
    return targets
}

// MARK: Trivial values

private struct VendorPoint {
    var x: Int32
    var y: Int32
}

private struct DomainPoint {
    var x: Int
    var y: Int
}

private struct PointTranslation: Translation {
    func read(_ source: VendorPoint, _ report: inout TranslationReport) throws(TranslationIssue) -> DomainPoint {
        guard source.x >= 0 else { throw TranslationIssue("negative", at: "x", raw: "\(source.x)") }
        return DomainPoint(x: Int(source.x), y: Int(source.y))
    }
}

extension Translator where Source == VendorPoint, Target == DomainPoint {
    fileprivate static var point: Self {
        Translator { source, _ throws(TranslationIssue) in
            guard source.x >= 0 else { throw TranslationIssue("negative", at: "x", raw: "\(source.x)") }
            return DomainPoint(x: Int(source.x), y: Int(source.y))
        }
    }
}

private func pointsByHand(_ points: [VendorPoint]) -> [DomainPoint] {
    var targets: [DomainPoint] = []
    targets.reserveCapacity(points.count)
    for point in points where point.x >= 0 { targets.append(DomainPoint(x: Int(point.x), y: Int(point.y))) }
    return targets
}

@inline(never)
private func keep<Value>(_ value: Value) { withExtendedLifetime(value) {} }
