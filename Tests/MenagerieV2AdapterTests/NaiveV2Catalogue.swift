#if Sandbox
import MenagerieV2
import SanctuaryDomain

/// V1's handling with V2's names: the display text as the name, only five kinds, a short page as the last one, and nil
/// for any error.
struct NaiveV2Catalogue: Catalogue {
    let client: MenagerieClient

    func animals(_ request: AnimalsRequest) async throws -> SanctuaryDomain.Page<SanctuaryDomain.Animal> {
        let page = try await client.animals(cursor: request.page.cursor?.rawValue, limit: request.page.limit)
        let isLast = page.items.count < request.page.limit
        return SanctuaryDomain.Page(
            items: page.items.map(Self.read),
            next: isLast ? nil : page.nextCursor.map { Cursor($0) }
        )
    }

    func animal(_ id: AnimalID) async throws -> SanctuaryDomain.Animal {
        guard let number = Int(id.rawValue), let pair = try? await client.identifiers(ofLegacy: [number]).first,
            let animal = try? await client.animal(id: pair.id)
        else { throw SanctuaryError(.notFound, "no such animal") }
        return Self.read(animal)
    }

    private static func read(_ source: MenagerieV2.Animal) -> SanctuaryDomain.Animal {
        let group: AnimalGroup =
            switch source.kind {
            case .mammal: .mammal
            case .bird: .bird
            case .reptile: .reptile
            case .fish: .fish
            default: .other
            }
        return SanctuaryDomain.Animal(
            id: AnimalID(source.id),
            name: source.localizedName,
            displayName: source.localizedName,
            group: group,
            legs: .known(source.legs ?? 0),
            heads: .known(source.heads ?? 0)
        )
    }
}
#endif
