#if Sandbox
import MenagerieService
import MenagerieV2
import MenagerieV2Adapter
import SanctuaryDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct IdentityEndToEndTests {
    @Test func `D1: after a restart the vendor is not asked again for an id that it has given`() async throws {
        try await OpenedSanctuary.with { sanctuary in
            let before = try await sanctuary.allAnimals()
            #expect(before.count > 100)
            let asked = sanctuary.control.calls(of: .resolveIdentifiers)
            let again = try await sanctuary.openAnother(in: sanctuary.directory)
            for animal in [before[6], before[100]] {
                #expect(try await again.catalogue.animal(animal.id) == animal)
            }
            #expect(sanctuary.control.calls(of: .resolveIdentifiers) == asked)
            await again.close()
        }
    }

    @Test(arguments: Handling.allCases)
    func `D1: favourites stored as numbers by V1 are the same animals under V2, and V2's spelling is hidden`(
        _ handling: Handling
    ) async throws {
        try await OpenedSanctuary.with { sanctuary in
            // As V1 returns them; V2 spells the seventh in upper case.
            let favourites = ["1", "7", "101"].map { AnimalID($0) }
            let listed = try await self.animals(handling, sanctuary)
            let known = Set(listed.map(\.id))
            _ = try handling.refuses(known.isSuperset(of: favourites))
            #expect(known.count == listed.count)
        }
    }

    @Test func `D1: an id that the vendor does not know is notFound, on this launch and the next`() async throws {
        try await OpenedSanctuary.with { sanctuary in
            let unknown = ["4711", "00000000-0000-4000-8000-000000000000", "no id"].map { AnimalID($0) }
            let again = try await sanctuary.openAnother(in: sanctuary.directory)
            for catalogue in [sanctuary.catalogue, again.catalogue] {
                for id in unknown { await expect(.notFound) { try await catalogue.animal(id) } }
            }
            await again.close()
        }
    }

    /// The naive handling uses the vendor's ids as the domain's.
    private func animals(
        _ handling: Handling,
        _ sanctuary: OpenedSanctuary
    ) async throws -> [SanctuaryDomain.Animal] {
        guard handling == .naive else { return try await sanctuary.allAnimals() }
        let options = MenagerieOptions(serviceURL: sanctuary.url, apiKey: "test", directory: sanctuary.directory)
        let client = MenagerieClient(options: options)
        try await client.configure()
        let page = try await client.animals()
        await client.shutdown()
        return page.items.map {
            SanctuaryDomain.Animal(
                id: AnimalID($0.id),
                name: $0.name,
                displayName: $0.localizedName,
                group: AnimalGroup($0.kind.rawValue),
                legs: .unknown,
                heads: .unknown
            )
        }
    }
}
#endif
