#if Sandbox
extension V2API {
    var catalogue: [Route] {
        [
            Route(
                "GET",
                "animals",
                .listAnimals,
                keyed { call, _ in
                    let language = Language(acceptLanguage: call.header("Accept-Language"))
                    let kind = call.parameter("filter[kind]")
                    // A cursor belongs to its list, and a filtered list is a different one.
                    let name = kind.map { "animals of \(PagingState.hexadecimal($0))" } ?? "animals"
                    return try page(
                        name,
                        quirk: .listAnimals,
                        for: call,
                        shifts: true,
                        of: { AnimalSelection($0.animals.animals, kind: kind) }
                    ) { Self.record(of: $0, in: $1.animals, language) }
                }
            ),
            Route(
                "GET",
                "animals/{}",
                .getAnimal,
                keyed { call, id in
                    let language = Language(acceptLanguage: call.header("Accept-Language"))
                    return try sandbox.world.read { world throws(Refusal) in
                        let animal = try world.animals.existing(uuid: id)
                        return .json(Self.record(of: animal, in: world.animals, language))
                    }
                }
            ),
            Route(
                "POST",
                "identifiers/resolve",
                .resolveIdentifiers,
                keyed { call, _ in
                    let fields = try call.object()
                    let legacyIDs = try fields.optionalElements("legacyIds")
                    let ids = try fields.optionalElements("ids")
                    guard let wanted = legacyIDs ?? ids, legacyIDs == nil || ids == nil else {
                        throw Refusal(.validation, "expected either legacyIds or ids", field: "legacyIds")
                    }
                    guard wanted.count <= Self.maximumIdentifiers else {
                        let field = legacyIDs == nil ? "ids" : "legacyIds"
                        throw Refusal(.validation, "at most \(Self.maximumIdentifiers)", field: field)
                    }
                    return try sandbox.world.read { world throws(Refusal) in
                        var pairs: [JSON] = []
                        for (index, element) in wanted.enumerated() {
                            let animal = try world.animals.animal(
                                identifiedBy: element,
                                isLegacy: legacyIDs != nil,
                                index
                            )
                            guard let animal else { continue }
                            pairs.append(["legacyId": .integer(animal.legacyID), "id": .string(animal.uuid)])
                        }
                        return .json(["pairs": .array(pairs)])
                    }
                }
            ),
        ]
    }

    private static let maximumIdentifiers = 200

    /// Returns an ANIMAL, without counts that are not recorded.
    private static func record(of animal: Animal, in store: AnimalStore, _ language: Language) -> JSON {
        let record = JSON.members([
            "id": .string(animal.uuid),
            "name": .string(animal.name),
            "localizedName": .string(animal.displayName(in: language)),
            "kind": .string(animal.kind),
            "legs": animal.legs.map(JSON.integer),
            "heads": animal.heads.map(JSON.integer),
        ])
        return (store.corruptions[animal.legacyID] ?? []).reduce(record) { $1.applied(to: $0) }
    }
}

extension AnimalStore {
    /// Like ``animal(uuid:)``, but throws if there is none.
    func existing(uuid text: String) throws(Refusal) -> Animal {
        guard Self.isUUID(text) else { throw Refusal(.badRequest, "an animal's id is a UUID") }
        guard let animal = animal(uuid: text) else { throw Refusal(.notFound, "no animal has that id") }
        return animal
    }

    fileprivate func animal(identifiedBy element: JSON, isLegacy: Bool, _ index: Int) throws(Refusal) -> Animal? {
        switch element {
        case .integer(let number) where isLegacy:
            return Int(exactly: number).flatMap(animal(legacyID:))
        case .string(let text) where !isLegacy:
            guard Self.isUUID(text) else { break }
            return animal(uuid: text)
        default: break
        }
        let (field, expected) = isLegacy ? ("legacyIds", "a whole number") : ("ids", "a UUID")
        throw Refusal(.validation, "expected \(expected)", field: "\(field)[\(index)]")
    }

    private static func isUUID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && parts.allSatisfy { $0.unicodeScalars.allSatisfy { $0.isASCII && $0.properties.isASCIIHexDigit } }
    }
}
#endif
