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

    /// Sends one while nobody can be reached: the vendor keeps it by itself, whosever its outbox is.
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

    /// A vendor that finds out that it cannot send while somebody else signs in.
    @Test func `what could not be sent is never anybody else's`() async throws {
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
            // It waits for nobody, and so may not have been handed on.
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

    /// Two deliveries of one message at once, which end in this order.
    @Test(arguments: [(false, true, true), (true, false, true), (true, true, false)])
    func `a refused delivery says nothing of another one under way`(
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
