import Cofferdam

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

/// A translator with issues against the loop that one would write by hand, without any.
func providersBenchmark() throws -> [Measurement] {
    let animals = (0..<1_000_000).map {
        VendorAnimal(id: $0, name: "animal", kind: $0.isMultiple(of: 3) ? "bird" : "mammal")
    }
    let translator = Translator<VendorAnimal, DomainAnimal> { animal, _ throws(TranslationIssue) in translated(animal) }

    return [
        try Measurement.interleaved("translate.1M", against: "loop by hand", rounds: 9) {
            var report = TranslationReport()
            keep(try translator.translate(animals, at: "items", into: &report))
        } theirs: {
            var targets: [DomainAnimal] = []
            targets.reserveCapacity(animals.count)
            for animal in animals { targets.append(translated(animal)) }
            keep(targets)
        }
    ]
}

@inline(__always)
private func translated(_ animal: VendorAnimal) -> DomainAnimal {
    let group: DomainAnimal.Group =
        switch animal.kind {
        case "mammal": .mammal
        case "bird": .bird
        default: .unknown(animal.kind)
        }
    return DomainAnimal(id: animal.id, name: animal.name, group: group)
}

@inline(never)
private func keep<Value>(_ value: Value) { withExtendedLifetime(value) {} }
