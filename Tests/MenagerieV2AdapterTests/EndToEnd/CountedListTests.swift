#if Sandbox
import MenagerieService
import MenagerieV2
import SanctuaryDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct CountedListTests {
    /// Legs by place: none, not recorded, four.
    private static let legs: [Int?] = [0, nil, 4]

    @Test(arguments: Handling.allCases)
    func `D2, D5: the list has all of a hundred and twenty, and no zero stands for what is not recorded`(
        _ handling: Handling
    ) async throws {
        try await OpenedSanctuary.with(.empty) { sanctuary in
            for index in 0..<120 {
                sanctuary.control.addAnimal(name: "a", kind: "fish", legs: Self.legs[index % 3], heads: 1)
            }
            let legs = handling == .naive ? try await naive(sanctuary) : try await sanctuary.allAnimals().map(\.legs)
            let expected = (0..<120).map { Self.legs[$0 % 3].map(Count.known) ?? .unknown }
            _ = try handling.refuses(legs == expected)
            if handling == .naive {
                #expect(legs.count == 50, "the rest is cut off in silence")
                #expect(legs[1] == legs[0], "and the two cannot be told apart")
            }
        }
    }

    /// As with V1: one page of up to 1000, and 0 for what is absent.
    private func naive(_ sanctuary: OpenedSanctuary) async throws -> [Count] {
        let options = MenagerieOptions(serviceURL: sanctuary.url, apiKey: "test", directory: sanctuary.directory)
        let client = MenagerieClient(options: options)
        try await client.configure()
        let page = try await client.animals(limit: 1000)
        await client.shutdown()
        return page.items.map { .known($0.legs ?? 0) }
    }
}
#endif
