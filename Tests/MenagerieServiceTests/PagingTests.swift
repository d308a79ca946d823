#if Sandbox
import Testing

@testable import MenagerieService

struct PagingTests {
    @Test("D5: v1 pages by offset, at most a thousand, and none beyond the end")
    func offsets() async throws {
        try await withService { service, client async throws in
            service.control.reset(baseline: .empty)
            service.control.seedAnimals(1203)
            func count(_ query: String) async throws -> Int? {
                try await client.get("/v1/animals?\(query)").json["animals"]?.elements.count
            }
            #expect(try await count("limit=5000") == 1000)
            #expect(try await count("offset=1000&limit=1000") == 203)
            #expect(try await count("offset=9999") == 0)
            #expect(try await count("limit=7") == 7)
        }
    }

    @Test(
        "LIST, D5: v2 gives at most 50, and a walk of any size of page gives each animal once",
        arguments: [1, 7, 50, 500]
    )
    func walks(limit: Int) async throws {
        try await withService { service, client async throws in
            service.control.reset(baseline: .empty)
            service.control.seedAnimals(60)
            let (items, pages) = try await client.walk("/v2/animals", limit: limit)
            #expect(items.compactMap { $0["name"]?.text } == (1...60).map { "animal-\($0)" })
            #expect(pages == (60 + min(limit, 50) - 1) / min(limit, 50))
        }
    }

    @Test("D5: when the list grows during a walk, the pages overlap and nothing is left out")
    func growth() async throws {
        try await withService { service, client async throws in
            let first = try await client.get("/v2/animals").json
            service.control.addAnimal(name: "late", kind: "other")
            let cursor = try #require(first["nextCursor"]?.text)
            let second = try await client.get("/v2/animals?cursor=\(cursor)").json
            #expect(second["items"]?.elements.first == first["items"]?.elements.last)
        }
    }

    @Test("D31, D5: a cursor of v2 is bound to its filter too, whatever stands in it")
    func narrowedCursors() async throws {
        try await withService { service, client async throws in
            func page(_ query: String) async throws -> ServiceClient.Reply {
                try await client.get("/v2/animals?\(query)")
            }
            service.control.setKind("a.b/c", animal: 1)
            service.control.setKind("a.b/c", animal: 2)
            let queries = ["", "filter[kind]=fish&", "filter%5Bkind%5D=bird&", "filter%5Bkind%5D=a.b%2Fc&"]
            for query in queries {
                let cursor = try #require(try await page("\(query)limit=1").json["nextCursor"]?.text)
                for other in queries {
                    let reply = try await page("\(other)limit=1&cursor=\(cursor)")
                    #expect(reply.json.errorCode == (query == other ? nil : "invalid_cursor"), "\(query) \(other)")
                }
            }
        }
    }

    @Test("D5: cursors expire, are bound to their list, and cannot be made up")
    func cursors() async throws {
        try await withService { service, client async throws in
            let client = try await client.signedIn().client
            let cursor = try #require(try await client.get("/v2/animals").json["nextCursor"]?.text)
            func answer(_ address: String) async throws -> (Int, JSON?) {
                let reply = try await client.get(address)
                return (reply.status, reply.json.errorCode)
            }
            for address in [
                "/v2/messages?cursor=\(cursor)", "/v2/animals?cursor=\(cursor)0", "/v2/animals?cursor=zz",
                "/v2/animals?cursor=", "/v2/orders?cursor=\(cursor.dropLast(2))",
            ] {
                #expect(try await answer(address) == (400, "invalid_cursor"), "\(address)")
            }
            #expect(try await answer("/v2/animals?cursor=\(cursor)").0 == 200)
            service.control.expireCursors()
            #expect(try await answer("/v2/animals?cursor=\(cursor)") == (400, "invalid_cursor"))
            let fresh = try #require(try await client.get("/v2/animals").json["nextCursor"]?.text)
            service.control.advanceClock(by: .seconds(601))
            #expect(try await answer("/v2/animals?cursor=\(fresh)") == (400, "invalid_cursor"))
        }
    }

    @Test(
        "D5: a page may be empty and have a cursor; a cursor may be an empty string: the walk still gives all",
        arguments: [
            (PagingQuirk.emptyPageWithCursor, 4), (.emptyStringCursor, 3),
        ]
    )
    func harmlessQuirks(quirk: PagingQuirk, expectedPages: Int) async throws {
        try await withService { service, client async throws in
            service.control.setPagingQuirk(quirk)
            for _ in 0..<2 {
                let (items, pages) = try await client.walk("/v2/animals")
                #expect(items.count == 107)
                #expect(pages == expectedPages)
            }
            #expect(try await client.get("/v1/animals").json["total"]?.integer == 107)
        }
    }

    @Test("D5: no two cursors are equal, not even two to the same place within a millisecond")
    func distinctCursors() throws {
        var paging = PagingState()
        var cursor: String?
        var cursors: Set<String> = []
        for _ in 0..<100 {
            // The first page, the empty one, and so on: all at one moment.
            let page = try paging.page(
                of: "animals",
                after: cursor,
                limit: 1,
                count: 1000,
                shifts: false,
                quirk: .emptyPageWithCursor,
                checksum: Checksum(seed: 1),
                at: Timestamp(milliseconds: 0)
            )
            let next: String = try #require(page.nextCursor)
            cursors.insert(next)
            cursor = next
        }
        #expect(cursors.count == 100)
    }

    @Test("D5: a repeated cursor leads to the same page for ever")
    func repeatedCursor() async throws {
        try await withService { service, client async throws in
            service.control.setPagingQuirk(.repeatedCursor)
            #expect(try await client.walk("/v2/animals").pages == 100)
            service.control.setPagingQuirk(nil)
            #expect(try await client.walk("/v2/animals").pages == 3)
        }
    }
}
#endif
