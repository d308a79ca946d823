#if Sandbox
import Foundation
import Testing

@testable import MenagerieService

@Suite(.timeLimit(.minutes(5)))
struct BulkTests {
    @Test("Twenty thousand animals are walked by both APIs, each once, in the same order")
    func walk() async throws {
        try await withService(.init(animals: 20_000)) { service, client async throws in
            #expect(service.control.animalCount == 20_107)
            var legacy: [Int] = []
            for offset in stride(from: 0, to: 21_000, by: 1000) {
                let page = try await client.get("/v1/animals?offset=\(offset)").json["animals"]?.elements ?? []
                legacy += page.compactMap { $0["id"]?.integer }
            }
            #expect(legacy == Array(1...20_107))
            var cursor: String?
            var identifiers: [String] = []
            repeat {
                let reply = try await client.get("/v2/animals" + (cursor.map { "?cursor=\($0)" } ?? "")).json
                identifiers += (reply["items"]?.elements ?? []).compactMap { $0["id"]?.text }
                cursor = reply["nextCursor"]?.text
            } while cursor != nil
            #expect(identifiers.count == 20_107)
            #expect(Set(identifiers.map { $0.lowercased() }).count == 20_107)
            let pairs = try await client.post(
                "/v2/identifiers/resolve",
                ["ids": [.string(identifiers[20_106]), .string(identifiers[0])]]
            ).json["pairs"]?.elements
            #expect(pairs?.compactMap { $0["legacyId"]?.integer } == [20_107, 1])
        }
    }

    @Test("A million animals use no more memory than one")
    func bounds() throws {
        func size(_ count: Int) throws -> Int {
            var store = AnimalStore(seed: 1)
            store.addMany(count)
            #expect(store.animals.count == count)
            return try JSONEncoder().encode(store).count
        }
        // Six more digits in each of two numbers.
        #expect(try size(1_000_000) - size(1) == 12)
        #expect(try size(1_000_000) < 1000)
    }

    @Test("Bulk ids lead back to their positions, and no other id leads anywhere")
    func identifiers() throws {
        var store = AnimalStore(seed: 1)
        for number in 0..<7 {
            store.add(.init(name: "kept-\(number)", germanName: nil, kind: "fish", legs: nil, heads: nil))
        }
        store.addMany(1_000_000)
        let last = store.add(.init(name: "last", germanName: nil, kind: "fish", legs: nil, heads: nil))
        #expect(last.legacyID == 1_000_008)
        #expect(store.animal(uuid: last.uuid) == last)
        for position in [0, 6, 7, 8, 16, 999, 65_535, 65_536, 500_000, 1_000_006, 1_000_007] {
            let animal = store.animals[position]
            #expect(animal.legacyID == position + 1)
            #expect(store.animal(uuid: animal.uuid) == animal)
            #expect(store.animal(uuid: animal.uuid.uppercased()) == animal)
            // One digit off, at either end.
            let first = animal.uuid.hasPrefix("0") ? "1" : "0"
            #expect(store.animal(uuid: first + animal.uuid.dropFirst()) == nil)
            let end = animal.uuid.hasSuffix("0") ? "1" : "0"
            #expect(store.animal(uuid: animal.uuid.dropLast() + end) == nil)
        }
        #expect(store.animal(legacyID: 1_000_009) == nil)
        #expect(store.animal(legacyID: .min) == nil)
        store.setKind("dragon", of: 500_000)
        #expect(store.animal(legacyID: 500_000)?.kind == "dragon")
        #expect(Set(store.animals.prefix(50_000).map(\.uuid)).count == 50_000)
    }
}
#endif
