#if Sandbox
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

@Suite struct AnimalIDMapTests {
    private let a = "0e0b8a70-0000-4000-8000-00000000000a"
    private let b = "0e0b8a70-0000-4000-8000-00000000000b"

    @Test("D1: an old id leads to the UUID and back, in any letter case")
    func bothWays() throws {
        let map = AnimalIDMap()
        #expect(map.way(from: AnimalID("12")) == .legacy(12))
        try map.record([(12, a.uppercased())])
        #expect(map.way(from: AnimalID("12")) == .known(a))
        #expect(map.id(of: a) == AnimalID("12"))
        #expect(map.id(of: a.uppercased()) == AnimalID("12"))
        #expect(map.way(from: AnimalID(a.uppercased())) == .known(a))
    }

    @Test("D1: an animal without an old id is named by its UUID in lower case")
    func withoutLegacy() throws {
        let map = AnimalIDMap()
        #expect(map.id(of: a) == nil)
        try map.record([], asked: [a.uppercased()])
        #expect(map.id(of: a.uppercased()) == AnimalID(a))
        #expect(map.unknown(among: [a, b]) == [b])
    }

    @Test("D1: normalising twice changes nothing", arguments: ["0E0B8A70-0000-4000-8000-00000000000A", "12", "", "x"])
    func normalising(id: String) {
        let once = AnimalIDMap.normalised(id)
        #expect(once.map { AnimalIDMap.normalised($0) } ?? nil == once)
        #expect(AnimalID(AnimalID(id).rawValue) == AnimalID(id))
    }

    @Test("D1: recording the same twice is no contradiction, and asks for each once")
    func twice() throws {
        let map = AnimalIDMap()
        try map.record([(1, a), (1, a.uppercased())], asked: [a])
        try map.record([(1, a)], asked: [a])
        #expect(map.unknown(among: [a, b, b.uppercased(), "none"]) == [b])
    }

    @Test("D1: colliding ids are an error, and nothing of that answer is taken")
    func collisions() throws {
        let map = AnimalIDMap()
        try map.record([(1, a)])
        try map.record([], asked: [b])
        let wrong: [[(Int, String)]] = [[(2, a)], [(1, b)], [(2, b)]]
        for pairs in wrong {
            let error = #expect(throws: SanctuaryError.self) { try map.record(pairs.map { ($0.0, $0.1) }) }
            #expect(error?.code == .conflict)
        }
        let fresh = AnimalIDMap()
        #expect(throws: SanctuaryError.self) { try fresh.record([(1, a), (2, b), (1, b)]) }
        #expect(fresh.way(from: AnimalID("2")) == .legacy(2))
    }

    @Test(arguments: Handling.allCases)
    func `D1: two animals never get one id, whatever the vendor says`(_ handling: Handling) throws {
        let map = AnimalIDMap()
        var naive = NaiveAnimalIDs()
        for uuid in [a, b] {
            naive.record(1, uuid)
            // The second one contradicts the first.
            do throws(SanctuaryError) { try map.record([(1, uuid)]) } catch { #expect(error.code == .conflict) }
        }
        let ids = [a, b].map { handling == .naive ? naive.id(of: $0) : map.id(of: $0) }
        _ = try handling.refuses(ids[0] != ids[1])
    }

    @Test(
        "Text that is not an id leads nowhere",
        arguments: ["", "x", "-1", "007", "+7", "1.0", "99999999999999999999", "0e0b"]
    )
    func noIDs(id: String) {
        #expect(AnimalIDMap().way(from: AnimalID(id)) == .none)
    }

    @Test("An invalid pair is a decoding error at its path")
    func noPairs() {
        for pair in [(-1, a), (1, "x")] {
            let error = #expect(throws: SanctuaryError.self) {
                try AnimalIDMap().record([(3, b), (pair.0, pair.1)])
            }
            #expect(error?.code == .decoding)
            #expect(error?.subject == "pairs[1]")
        }
    }
}
#endif
