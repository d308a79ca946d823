#if Sandbox
import Foundation
import Testing

@testable import MenagerieService

struct CatalogueTests {
    @Test("Both catalogues have the same 107 animals")
    func catalogues() async throws {
        try await withService { service, client async throws in
            let old = try await client.get("/v1/animals").json
            #expect(old["total"]?.integer == 107)
            let animals = old["animals"]?.elements ?? []
            #expect(animals.compactMap { $0["id"]?.integer } == Array(1...107))
            let (items, pages) = try await client.walk("/v2/animals")
            #expect(pages == 3)
            #expect(items.map { $0["name"] } == animals.map { $0["name"] })
            #expect(items.map { $0["kind"] } == animals.map { $0["kind"] })
            #expect(items.map { $0["legs"] ?? .integer(0) } == animals.map { $0["legs"] })
            #expect(items.map { $0["heads"] ?? .integer(0) } == animals.map { $0["heads"] })
            #expect(Set(items.compactMap { $0["id"]?.text?.lowercased() }).count == 107)
            #expect(service.control.calls(of: .listAnimals) == 4)
        }
    }

    @Test("D2: what is not recorded is 0 on v1 and absent on v2; a true 0 is there on both")
    func unknownCounts() async throws {
        try await withService { service, client async throws in
            let ids = try #require(service.control.ids(ofAnimal: 107))
            let (old, new) = (try await client.get("/v1/animals/107"), try await client.get("/v2/animals/\(ids.uuid)"))
            #expect(old.json["legs"]?.integer == 0)
            #expect(new.json["legs"] == nil)
            #expect(new.json["heads"]?.integer == 1)
            let bass = try #require(service.control.ids(ofAnimal: 3))
            #expect(try await client.get("/v2/animals/\(bass.uuid)").json["legs"]?.integer == 0)
        }
    }

    @Test("D1: some ids are in upper case, and every id is found in any case and by its old number")
    func identifiers() async throws {
        try await withService { service, client async throws in
            let ids = try await client.walk("/v2/animals").items.compactMap { $0["id"]?.text }
            let upper = ids.filter { $0 == $0.uppercased() }
            #expect((1..<20).contains(upper.count))
            for id in [upper[0], ids[0]] {
                #expect(try await client.get("/v2/animals/\(id.lowercased())").json["id"]?.text == id)
                #expect(try await client.get("/v2/animals/\(id.uppercased())").json["id"]?.text == id)
            }
            let resolved = try await client.post(
                "/v2/identifiers/resolve",
                ["legacyIds": [.integer(7), .integer(9999), .integer(1)]]
            )
            #expect(resolved.json["pairs"]?.elements.compactMap { $0["id"]?.text } == [ids[6], ids[0]])
            let back = try await client.post("/v2/identifiers/resolve", ["ids": [.string(ids[6].lowercased())]])
            #expect(back.json["pairs"]?.elements.compactMap { $0["legacyId"]?.integer } == [7])
        }
    }

    @Test("D31: v1 filters by `kind`, and ignores unknown ones; v2 filters by `filter[kind]`, and knows all")
    func narrowed() async throws {
        try await withService { service, client async throws in
            func old(_ query: String) async throws -> (total: Int?, ids: [Int]) {
                let json = try await client.get("/v1/animals?\(query)").json
                return (json["total"]?.integer, json["animals"]?.elements.compactMap { $0["id"]?.integer } ?? [])
            }
            func new(_ query: String) async throws -> [JSON] {
                try await client.get("/v2/animals?\(query)").json["items"]?.elements ?? []
            }
            let all = try await client.get("/v1/animals").json["animals"]?.elements ?? []
            let fish = all.filter { $0["kind"]?.text == "fish" }.compactMap { $0["id"]?.integer }
            #expect(try await old("kind=fish") == (fish.count, fish))
            #expect(try await old("kind=fish&offset=2&limit=3") == (fish.count, Array(fish[2..<5])))
            #expect(try await new("filter[kind]=fish").count == fish.count)
            #expect(try await new("filter%5Bkind%5D=fish").allSatisfy { $0["kind"]?.text == "fish" })
            service.control.setKind("chimera", animal: 1)
            for kind in ["chimera", "unicorn", "Fish", ""] {
                #expect(try await old("kind=\(kind)").total == 107)
                #expect(try await new("filter[kind]=\(kind)").count == (kind == "chimera" ? 1 : 0))
            }
            // Each API ignores the other's parameter.
            #expect(try await old("filter[kind]=fish").total == 107)
            #expect(try await new("kind=fish").count == 50)
        }
    }

    @Test("Bulk animals are filtered by kind like others")
    func narrowedBulk() async throws {
        try await withService { service, client async throws in
            service.control.reset(baseline: .empty)
            service.control.addAnimal(name: "argus", kind: "bird")
            service.control.seedAnimals(20)
            service.control.setKind("bird", animal: 2)
            let (items, pages) = try await client.walk("/v2/animals?filter[kind]=bird", limit: 2)
            #expect(
                items.compactMap { $0["name"]?.text } == [
                    "argus", "animal-1", "animal-2", "animal-7", "animal-12", "animal-17",
                ]
            )
            #expect(pages == 3)
        }
    }

    @Test("A seed gives the same ids again, another seed others")
    func seeds() async throws {
        func firstID(seed: UInt64) async throws -> String? {
            try await withService(.init(seed: seed)) { service, _ async throws in service.control.ids(ofAnimal: 1)?.uuid
            }
        }
        let (one, again, other) = (try await firstID(seed: 1), try await firstID(seed: 1), try await firstID(seed: 2))
        #expect(one == again)
        #expect(one != other)
    }

    @Test("D3: German names where there are some: in `name` on v1, in `localizedName` on v2")
    func languages() async throws {
        try await withService { service, client async throws in
            #expect(try await client.get("/v1/animals/102?lang=de").json["name"]?.text == "Zerberus")
            let id = try #require(service.control.ids(ofAnimal: 102)).uuid
            let reply = try await client.get(
                "/v2/animals/\(id)",
                headers: ["Accept-Language": "fr, de-CH;q=0.9, en;q=0.5"]
            )
            #expect(reply.json["name"]?.text == "kerberos")
            #expect(reply.json["localizedName"]?.text == "Zerberus")
        }
    }

    @Test("Foundation reads the catalogue's JSON in the same way")
    func foundation() async throws {
        struct Page: Decodable {
            struct Item: Decodable { let id, name, localizedName, kind: String }
            let items: [Item]
        }
        try await withService { service, client async throws in
            service.control.addAnimal(name: "a \"quoted\"\n\u{1}name/é🦊", kind: "other")
            let reply = try await client.get("/v1/animals?offset=107")
            #expect(reply.json["animals"]?.elements.first?["name"]?.text == "a \"quoted\"\n\u{1}name/é🦊")
            let page = try JSONDecoder().decode(Page.self, from: Data(try await client.get("/v2/animals").body))
            #expect(page.items.count == 50)
        }
    }

    @Test(
        "D4, ERR: records are corrupted as asked, on both APIs",
        arguments: [
            (Corruption.extraField, "moonPhase", JSON?.some(["waxing": .bool(true)])),
            (.missing("kind"), "kind", nil), (.null("legs"), "legs", .null),
            (.empty("kind"), "kind", ""),
            (.wrongType("name"), "name", .integer(42)),
            (.wrongType("heads"), "heads", "not a number"),
        ]
    )
    func corruptions(corruption: Corruption, field: String, expected: JSON?) async throws {
        try await withService { service, client async throws in
            service.control.corrupt(animal: 5, corruption)
            let id = try #require(service.control.ids(ofAnimal: 5)).uuid
            #expect(try await client.get("/v1/animals/5").json[field] == expected)
            #expect(try await client.get("/v2/animals/\(id)").json[field] == expected)
            #expect(try await client.get("/v2/animals").json["items"]?.elements[4][field] == expected)
            #expect(try await client.get("/v1/animals/6").json[field] != expected)
        }
    }

    @Test("D7: photos have one address on v1, and on v2 a signed one that differs each time and expires")
    func photos() async throws {
        try await withService { service, client async throws in
            let old = try await client.get("/v1/photos/8")
            #expect(old.headers["content-type"] == "image/bmp")
            #expect(old.body.starts(with: Array("BM".utf8)))
            #expect(try await client.get("/v1/photos/9").body != old.body)
            let id = try #require(service.control.ids(ofAnimal: 8)).uuid
            let first = try #require(try await client.get("/v2/animals/\(id)/image").json["url"]?.text)
            let second = try #require(try await client.get("/v2/animals/\(id)/image").json["url"]?.text)
            #expect(first != second)
            #expect(try await client.get(first).body == old.body)
            service.control.setPhoto([1, 2, 3], contentType: "image/x-test", animal: 8)
            #expect(try await client.get(second).body == [1, 2, 3])
            #expect(try await client.get(first + "0").json.errorCode == "forbidden")
            service.control.advanceClock(by: .seconds(901))
            let late = try await client.get(first)
            #expect(late.status == 403)
            #expect(late.json.errorCode == "signature_expired")
            #expect(service.control.calls(of: .photo) == 6)
        }
    }
}
#endif
