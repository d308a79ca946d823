#if Sandbox
import Cofferdam
import Foundation
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

@Suite(.timeLimit(.minutes(2)))
struct UnsentMessagesTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "unsent-\(UUID().uuidString)").path
    private let outbox: Outbox
    private let unsent: UnsentMessages

    init() {
        outbox = Outbox(directory: directory)
        unsent = UnsentMessages(outbox, directory: directory, issues: IssueSink { _, _ in })
    }

    /// Sends a message while the vendor is unreachable: the SDK stores it on its own, whoever owns its outbox.
    private func keeps(_ key: String, of user: String) async -> Bool {
        let draft = MessageDraft(text: "mine", key: key)
        do {
            try await unsent.sending(draft, of: user) {
                try await outbox.add([OutboxEntry(localId: key, text: draft.text)])
                throw MenagerieError.transport(TransportFailure(.offline, message: "down"))
            }
            return false
        } catch { return error is MenagerieError }
    }

    /// A vendor that discovers that it cannot send while another user signs in.
    @Test func `unsent messages never become another user's`() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var kept: Set<String> = []
        for round in 0..<100 {
            await unsent.prepare(for: "amara", takingOver: false)
            let key = "key-\(round)"
            async let isKept = { () async -> Bool in
                for _ in 0..<round % 10 { await Task.yield() }
                return await keeps(key, of: "amara")
            }()
            await unsent.prepare(for: "kenji", takingOver: false)
            if await isKept { kept.insert(key) }
            // It does not wait, so it may not have been transferred yet.
            await unsent.prepare(for: "kenji", takingOver: false)
            #expect(try await outbox.entries() == [], "round \(round)")
        }
        await unsent.prepare(for: "amara", takingOver: false)
        #expect(Set(try await outbox.entries().map(\.localId)) == kept)
    }

    @Test func `what is being sent is not handed on before it has been sent`() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        await unsent.prepare(for: "amara", takingOver: false)
        #expect(await keeps("a", of: "amara"))
        let mine = OutboxEntry(localId: "a", text: "mine")
        try await unsent.delivering(for: "amara") { () async throws in
            await unsent.prepare(for: "kenji", takingOver: false)
            #expect(await !keeps("k", of: "kenji"))
            #expect(try await outbox.entries() == [mine])
        }
        await unsent.prepare(for: "kenji", takingOver: false)
        #expect(try await outbox.entries() == [])
        await unsent.prepare(for: "amara", takingOver: false)
        #expect(try await outbox.entries() == [mine])
    }

    @Test func `a kept message that has arrived is its own answer, whatever becomes of the one after it`() async throws
    {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        await unsent.prepare(for: "amara", takingOver: false)
        let later = OutboxEntry(localId: "b", text: "later")
        try await outbox.add([OutboxEntry(localId: "a", text: "mine"), later])
        let arrived = MenagerieV2.Message(
            id: "m-1",
            localId: "a",
            sequence: 1,
            author: "amara",
            text: "mine",
            sentAt: "2026-11-30T05:00:00Z"
        )
        let delivered = try await unsent.deliveringEach(for: "amara", including: "a") { [outbox] in
            guard try await outbox.entries() != [later] else {
                throw MenagerieError.transport(TransportFailure(.offline, message: "down"))
            }
            try await outbox.removeAll()
            return [arrived]
        }
        #expect(delivered == [arrived])
        #expect(try await outbox.entries() == [later])
    }

    @Test func `of messages whose outcome is not known the latest are noted, and all that could still be sent`()
        async throws
    {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        await unsent.prepare(for: "kenji", takingOver: false)
        try await loses("kenji's", keeping: true)
        await unsent.prepare(for: "amara", takingOver: false)
        try await loses("kept", keeping: true)
        let capacity = UnsentMessages.capacity
        for number in 0..<capacity + 50 { try await loses("m-\(number)") }
        let noted = try notedKeys()
        let latest = (50..<capacity + 50).map { "m-\($0)" }
        #expect(noted == ["kenji's", "kept"] + latest)
        for (key, isKnown) in [("m-0", false), ("m-50", true)] {
            #expect(try await unsent.putAgain(MessageDraft(text: "mine", key: key), of: "amara") == isKnown)
        }
        // Several at once are all noted, regardless of their number.
        let many = (0..<capacity + 1).map { OutboxEntry(localId: "o-\($0)", text: "mine") }
        try await outbox.add(many)
        _ = try await unsent.delivering(for: "amara") { () async throws in
            #expect(Set(many.map(\.localId)).isSubset(of: try notedKeys()))
        }
    }

    /// Sends one whose answer never comes.
    private func loses(_ key: String, keeping isKept: Bool = false) async throws {
        let lost = MenagerieError.transport(TransportFailure(.connectionLost, message: "down", wasSent: true))
        let user = key == "kenji's" ? "kenji" : "amara"
        await #expect(throws: lost) {
            try await unsent.sending(MessageDraft(text: "mine", key: key), of: user) { throw lost }
        }
        if isKept { try await outbox.add([OutboxEntry(localId: key, text: "mine")]) }
    }

    private func notedKeys() throws -> [String] {
        struct Kept: Decodable { var tried: [String]? }
        let data = try Data(contentsOf: URL(fileURLWithPath: directory + "/sanctuary.unsent.json"))
        return try JSONDecoder().decode(Kept.self, from: data).tried ?? []
    }

    /// Two deliveries of one message at once, which end in this order.
    @Test(arguments: [(false, true, true), (true, false, true), (true, true, false)])
    func `a refused delivery says nothing about another one under way`(
        isFirstRefused: Bool,
        isSecondRefused: Bool,
        isNoted: Bool
    ) async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        await unsent.prepare(for: "amara", takingOver: false)
        #expect(await keeps("a", of: "amara"))
        @Sendable func delivery(isRefused: Bool, _ meanwhile: @Sendable () async -> Void = {}) async {
            let failure = TransportFailure(isRefused ? .offline : .connectionLost, message: "down", wasSent: !isRefused)
            do {
                try await unsent.delivering(for: "amara") { () async throws in
                    await meanwhile()
                    throw MenagerieError.transport(failure)
                }
                Issue.record("it was delivered")
            } catch {
                #expect(error as? MenagerieError == .transport(failure))
            }
        }
        await delivery(isRefused: isSecondRefused) { await delivery(isRefused: isFirstRefused) }
        let kept = try String(contentsOfFile: directory + "/sanctuary.unsent.json", encoding: .utf8)
        #expect(kept.contains(#""tried":["a"]"#) == isNoted)
    }
}
#endif
