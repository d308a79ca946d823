#if Sandbox
import MenagerieV1
import SanctuaryDomain

/// The SDK's simplest calls: the name as it arrives, in the device's language, and an animal or nil.
struct NaiveV1Catalogue: Catalogue {
    func animals(_ request: AnimalsRequest) async throws -> Page<SanctuaryDomain.Animal> {
        await withCheckedContinuation { continuation in
            let kind = request.group?.description
            _ = Menagerie.shared.fetchAnimals(ofKind: kind, offset: 0, limit: 1000) { @Sendable animals, _, _ in
                continuation.resume(returning: Page(items: (animals ?? []).map(Self.read), next: nil))
            }
        }
    }

    func animal(_ id: AnimalID) async throws -> SanctuaryDomain.Animal {
        let animal: SanctuaryDomain.Animal? = await withCheckedContinuation { continuation in
            _ = Menagerie.shared.animal(Int(id.rawValue) ?? 0) { @Sendable animal in
                continuation.resume(returning: animal.map(Self.read))
            }
        }
        guard let animal else { throw SanctuaryError(.notFound, "no such animal") }
        return animal
    }

    private static func read(_ source: MenagerieV1.Animal) -> SanctuaryDomain.Animal {
        SanctuaryDomain.Animal(
            id: AnimalID("\(source.id)"),
            name: source.name,
            displayName: source.name,
            group: AnimalGroup(source.kind),
            legs: .known(source.legs),
            heads: .known(source.heads)
        )
    }
}

/// A continuation for each call, resumed by any callback.
enum NaiveCall {
    static func call<Value: Sendable>(_ start: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
        await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }
    }
}
#endif
