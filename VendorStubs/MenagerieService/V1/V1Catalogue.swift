#if Sandbox
extension V1API {
    var catalogue: [Route] {
        [
            Route(
                "GET",
                "animals",
                .listAnimals,
                keyed { call, _ in
                    try sandbox.world.read { world throws(Refusal) in
                        let animals = AnimalSelection(world.animals.animals, kind: Self.kind(of: call))
                        let page = try Self.page(of: animals, for: call)
                        return .json([
                            "total": .integer(animals.count),
                            "animals": .array(page.map { record(of: $0, in: world.animals, for: call) }),
                        ])
                    }
                }
            ),
            Route(
                "GET",
                "animals/{}",
                .getAnimal,
                keyed { call, id in
                    let number = try Self.animalID(id)
                    return try sandbox.world.read { world throws(Refusal) in
                        guard let animal = world.animals.animal(legacyID: number) else {
                            throw Refusal(.notFound, "no animal has that id")
                        }
                        return .json(record(of: animal, in: world.animals, for: call))
                    }
                }
            ),
            Route("GET", "photos/{}", .photo) { call, id in
                let number = try Self.animalID(id)
                return try sandbox.world.update { world throws(Refusal) in
                    guard let animal = world.animals.animal(legacyID: number) else {
                        throw Refusal(.notFound, "no photo has that id")
                    }
                    return world.animals.pictureAnswer(of: animal, to: call)
                }
            },
        ]
    }

    /// Returns the requested kind; nil for all, and for one unknown to this API.
    private static func kind(of call: Call) -> String? {
        call.parameter("kind").flatMap { AnimalList.kinds.contains($0) ? $0 : nil }
    }

    private static func animalID(_ text: String) throws(Refusal) -> Int {
        guard let number = Int(text) else { throw Refusal(.badRequest, "an animal's id is a whole number") }
        return number
    }

    /// Returns an ANIMAL, with zero for counts that are not recorded.
    private func record(of animal: Animal, in store: AnimalStore, for call: Call) -> JSON {
        let language = Language(tag: call.parameter("lang") ?? "en")
        let record: JSON = [
            "id": .integer(animal.legacyID),
            "name": .string(animal.displayName(in: language)),
            "kind": .string(animal.kind),
            "legs": .integer(animal.legs ?? 0),
            "heads": .integer(animal.heads ?? 0),
            "photo_url": .string("\(call.origin)/v1/photos/\(animal.legacyID)"),
        ]
        return (store.corruptions[animal.legacyID] ?? []).reduce(record) { $1.applied(to: $0) }
    }
}
#endif
