#if Sandbox
import SanctuaryDomain
import Testing

@testable import MenagerieV1Adapter

/// Tests the walk against a list as the vendor returns it: newest first, by offset and limit.
struct MessageWalkTests {
    private final class Conversation {
        var oldestFirst: [Message]
        var fetches = 0
        var beforeFetch: (Conversation) -> Void = { _ in }

        init(_ count: Int) { oldestFirst = (0..<count).map(Self.message) }

        static func message(_ index: Int) -> Message {
            Message(
                id: MessageID("m:\(index)"),
                author: "noor",
                text: "\(index)",
                sentAt: Instant(millisecondsSince1970: Int64(index))
            )
        }

        func append() { oldestFirst.append(Self.message(oldestFirst.count)) }

        func fetch(_ offset: Int, _ limit: Int) -> Batch<Message> {
            fetches += 1
            beforeFetch(self)
            let items = oldestFirst.reversed().dropFirst(offset).prefix(min(limit, 1000))
            return Batch(items: Array(items), total: oldestFirst.count)
        }

        func walk(limit: Int, between: (Conversation) -> Void = { _ in }) async throws -> [Message] {
            var page = try await MessageWalk.first(limit: limit) { fetch($0, $1) }
            var all = page.items
            while let next = page.next {
                #expect(page.items.count <= limit)
                between(self)
                page = try await MessageWalk(next).page(limit: limit) { fetch($0, $1) }
                all += page.items
            }
            return all
        }
    }

    @Test("D23, LIST-01: oldest first, each message once", arguments: [0, 1, 9, 10, 11, 21, 120], [1, 10, 1000])
    func order(count: Int, limit: Int) async throws {
        let conversation = Conversation(count)
        #expect(try await conversation.walk(limit: limit) == conversation.oldestFirst)
    }

    @Test("D5, LIST-01: messages that arrive during the walk shift nothing", arguments: [1, 3, 50])
    func insertions(limit: Int) async throws {
        let conversation = Conversation(120)
        let before = conversation.oldestFirst
        let walked = try await conversation.walk(limit: limit) { $0.append() }
        #expect(walked == before)
    }

    @Test("D5: messages that arrive between reading the total and the page shift nothing")
    func insertionWithinPage() async throws {
        let conversation = Conversation(20)
        let before = conversation.oldestFirst
        conversation.beforeFetch = { if $0.fetches % 3 == 2 { $0.append() } }
        #expect(try await conversation.walk(limit: 6) == before)
    }

    @Test("D5: an endless rush of messages ends with a typed error")
    func endlessRush() async throws {
        let conversation = Conversation(20)
        conversation.beforeFetch = { $0.append() }
        let error = await SanctuaryError.of { try await conversation.walk(limit: 6) }
        #expect(error?.code == .unavailable)
        #expect(conversation.fetches <= 6)
    }

    @Test("LIST-05: a deletion behind the walk is reported, never a gap", arguments: [true, false])
    func deletionBehind(isReplaced: Bool) async throws {
        let conversation = Conversation(20)
        let error = await SanctuaryError.of {
            try await conversation.walk(limit: 6) {
                $0.oldestFirst.remove(at: 2)
                if isReplaced { $0.oldestFirst.append(Conversation.message(99)) }
            }
        }
        #expect(error?.code == .invalidCursor)
    }

    @Test("LIST-01: a deletion ahead of the walk harms nothing", arguments: [13, 19])
    func deletionAhead(index: Int) async throws {
        let conversation = Conversation(20)
        let walked = try await conversation.walk(limit: 6) {
            if $0.oldestFirst.count == 20 { $0.oldestFirst.remove(at: index) }
        }
        #expect(walked == conversation.oldestFirst)
    }

    @Test("D22: a late message of a slow clock hides none that was there", arguments: [0, 4, 5, 6, 8, 19], [1, 5, 50])
    func slowClock(index: Int, limit: Int) async throws {
        let conversation = Conversation(20)
        let before = conversation.oldestFirst
        let walked = try await conversation.walk(limit: limit) {
            if $0.oldestFirst.count == 20 { $0.oldestFirst.insert(Conversation.message(99), at: index) }
        }
        #expect(walked.filter { $0.id != MessageID("m:99") } == before)
        #expect(walked.count <= 21)
    }

    @Test(
        "LIST-06: a cursor made elsewhere is refused",
        arguments: [
            "", "50", "v1:animals:50", "v1:messages:50", "v1:messages:0:9:1:aa", "v1:messages:9:9:1:aa",
            "v1:messages:3:9:-1:aa", "v1:messages:+3:9:1:aa", "v1:messages:x:9:1:aa", "v2:messages:3:9:1:aa",
            "v1:messages:3:9:7:aa", "v1:messages:3:9:1:éa",
        ]
    )
    func foreignCursor(raw: String) throws {
        let error = #expect(throws: SanctuaryError.self) { _ = try MessageWalk(Cursor(raw)) }
        #expect(error?.code == .invalidCursor)
    }

    @Test("LIST-06: a cursor with the largest number is answered without a trap", arguments: [1, 2, 1000])
    func hugeCursor(limit: Int) async throws {
        let walk = try MessageWalk(Cursor("v1:messages:\(Int.max - 1):\(Int.max):3:m:1m:2"))
        let page = try await walk.page(limit: limit) { offset, count in
            #expect(offset == 0 && count == 2)
            return Batch(items: [Conversation.message(2), Conversation.message(1)], total: .max)
        }
        #expect(page.items.map(\.id) == [MessageID("m:2")] && page.next == nil)
        let error = await SanctuaryError.of { _ = try await walk.page(limit: limit, Conversation(20).fetch) }
        #expect(error?.code == .invalidCursor)
    }

    @Test(
        "D5: a cursor returns as it was, whatever stands in the message's id",
        arguments: ["m-1", "", ":", "a:b:c", "é"]
    )
    func cursor(id: String) throws {
        let walk = MessageWalk(position: 3, total: 12, last: MessageID(id), until: MessageID("z:\(id)"))
        #expect(try MessageWalk(walk.cursor) == walk)
    }
}
#endif
