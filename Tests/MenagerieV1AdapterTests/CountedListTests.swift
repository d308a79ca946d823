#if Sandbox
import MenagerieService
import SanctuaryDomain
import Testing

@testable import MenagerieV1Adapter

extension EndToEndTests {
    @Test func `D2, D5: the list has all of a hundred and twenty, and V1's zero stays ambiguous`() async throws {
        try await OpenSanctuary.with { sanctuary in
            sanctuary.control.reset(baseline: .empty)
            let legs: [Int?] = [0, nil, 4]
            for index in 0..<120 {
                sanctuary.control.addAnimal(name: "a", kind: "fish", legs: legs[index % 3], heads: 1)
            }
            let listed = try await sanctuary.services.catalogue.all(limit: 50)
            let expected: [Count] = [.ambiguousZero, .ambiguousZero, .known(4)]
            #expect(listed.map(\.legs) == (0..<120).map { expected[$0 % 3] })
        }
    }
}
#endif
