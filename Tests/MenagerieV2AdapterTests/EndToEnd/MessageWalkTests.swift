#if Sandbox
import MenagerieService
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

@Suite("Walking the conversation while messages are deleted")
struct MessageWalkTests {
    @Test(
        "D5: a deletion before the next page ends the walk with invalidCursor, and hides no message",
        arguments: 1...4
    )
    func deletedBefore(count: Int) async throws {
        try await Self.withMessages { sanctuary, ids in
            let first = try await sanctuary.messages.messages(PageRequest(limit: 10))
            for id in ids.prefix(count) { try sanctuary.control.deleteMessage(id) }
            await expect(.invalidCursor) {
                try await sanctuary.messages.messages(PageRequest(cursor: first.next, limit: 10))
            }
        }
    }

    @Test("D5: deletions elsewhere, before the walk or after its place, leave it whole", arguments: [1, 3, 10, 1000])
    func deletedElsewhere(limit: Int) async throws {
        try await Self.withMessages { sanctuary, ids in
            // A gap in the vendor's sequence, at the end of a page of 10, is no reason to stop.
            for id in [ids[9], ids[10], ids[20]] { try sanctuary.control.deleteMessage(id) }
            var found: [String] = []
            var cursor: Cursor?
            repeat {
                let page = try await sanctuary.messages.messages(PageRequest(cursor: cursor, limit: limit))
                found += page.items.map(\.id.rawValue)
                if cursor == nil, limit < 1000 { try sanctuary.control.deleteMessage(ids[28]) }
                cursor = page.next
            } while cursor != nil
            let gone = Set([9, 10, 20].map { ids[$0] } + (limit < 1000 ? [ids[28]] : []))
            #expect(found.suffix(ids.count - gone.count) == ids.filter { !gone.contains($0) })
            #expect(Set(found).count == found.count)
        }
    }

    @Test("A cursor survives as text, whatever the vendor's are", arguments: ["", "abc", "3", "é:/,", "v2:"])
    func roundTrip(vendor: String) throws {
        for earlier in [nil, "", "x:1,é"] {
            for last in [nil, 0, -1, Int.max] {
                let before = MessageCursor.Before(cursor: earlier, limit: 7, last: last)
                let cursor = MessageCursor(vendor: vendor, before: before)
                #expect(try MessageCursor(cursor.wrapped) == cursor)
            }
        }
    }

    @Test(
        "LIST-06: a cursor of another adapter or list is invalidCursor",
        arguments: [
            "", "50", "v1:50", "v2", "v2:", "v2::abc", "v2:x,,:abc", "v2:0,,:abc", "v2:5,x,:a", "v2:5,,9:abc",
            "v2:5,,-1:a",
        ]
    )
    func foreign(raw: String) {
        let error = #expect(throws: SanctuaryError.self) {
            try MessageCursor.asked(PageRequest(cursor: Cursor(raw), limit: 1))
        }
        #expect(error?.code == .invalidCursor && error?.subject == raw)
    }

    private static func withMessages(_ body: (OpenedSanctuary, [String]) async throws -> Void) async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            let ids = try (0..<29).map { try sanctuary.control.postMessage(author: "noor", text: "message \($0)") }
            let seeded = try await sanctuary.messages.messages(PageRequest(limit: 1000)).items.map(\.id.rawValue)
            // Only this test's messages are in the conversation.
            for id in seeded where !ids.contains(id) { try sanctuary.control.deleteMessage(id) }
            try await body(sanctuary, ids)
        }
    }
}
#endif
