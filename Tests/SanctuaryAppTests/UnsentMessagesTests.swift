import Cofferdam
import CofferdamState
import CofferdamTesting
import Foundation
import SanctuaryApp
import SanctuaryDomain
import TestSupport
import Testing

/// Messages that wait on the device until the vendor takes them.
@Suite(.timeLimit(.minutes(2))) struct UnsentMessagesTests {
    /// A vendor that takes each key once, while it can be reached.
    private final class Vendor: Sendable {
        struct State {
            var user: String? = "amara"
            var error: SanctuaryError? = SanctuaryError(.unreachable, "no network")
            var messages: [Message] = []
        }

        let state = Mutex(State())
        let keys = Log<String>()
        let reports = Log<FeatureError.Code>()
        private let count = Mutex(0)

        var texts: [String] { state.withLock { $0.messages.map(\.text) } }

        func fail(_ code: SanctuaryError.Code?) {
            state.withLock { $0.error = code.map { SanctuaryError($0, "told") } }
        }

        func features(in directory: String, holding gate: TestGate? = nil) -> Features {
            var ports = Ports(
                messages: { _ in Page(items: self.state.withLock { $0.messages }, next: nil) },
                send: { draft in
                    self.keys.add(draft.key)
                    await gate?.pass()
                    return try self.take(draft)
                },
                account: {
                    self.state.withLock { state in
                        state.user.map { .signedIn(Account(id: $0, displayName: $0, currency: .eur)) } ?? .signedOut
                    }
                }
            )
            ports.signIn = { credentials in
                self.state.withLock { $0.user = credentials.user }
                return Account(id: credentials.user, displayName: credentials.user, currency: .eur)
            }
            ports.signOut = { self.state.withLock { $0.user = nil } }
            return ports.features(
                unsent: directory,
                makeKey: { "k\(self.count.withLock { count in count += 1; return count })" },
                report: { self.reports.add($0.code) }
            )
        }

        private func take(_ draft: MessageDraft) throws -> Message {
            try state.withLock { state in
                if let error = state.error { throw error }
                let message = Message(
                    id: MessageID("m-\(draft.key)"),
                    author: state.user ?? "",
                    text: draft.text,
                    sentAt: Instant(millisecondsSince1970: 9)
                )
                if !state.messages.contains(where: { $0.id == message.id }) { state.messages.append(message) }
                return message
            }
        }
    }

    private let vendor = Vendor()

    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "unsent-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(directory)
    }

    private func shown(_ features: Features) -> [String] {
        (features.conversation.all.snapshot.contents ?? []).map { $0.message.text + ($0.isPending ? "?" : "") }
    }

    @Test func `a message waits while the vendor cannot be reached, also across a launch, and is sent once`()
        async throws
    {
        try await withDirectory { directory in
            let features = vendor.features(in: directory)
            _ = try await features.conversation.history()
            for text in ["1", "2"] {
                let error = await #expect(throws: SanctuaryError.self) { try await features.conversation.send(text) }
                #expect(error?.code == .unreachable)
            }
            #expect(shown(features) == ["1?", "2?"])
            #expect(try await features.conversation.latest().value.isEmpty, "the vendor has none")
            let next = vendor.features(in: directory)
            try await next.conversation.sendUnsent()
            #expect(shown(next) == ["1?", "2?"])
            vendor.fail(nil)
            _ = try await next.conversation.history()
            #expect(try await next.conversation.send("3").text == "3")
            #expect(shown(next) == ["1", "2", "3"])
            #expect(vendor.texts == ["1", "2", "3"])
            #expect(vendor.keys.entries == ["k1", "k1", "k1", "k1", "k2", "k3"], "in order, each under its own key")
            try await vendor.features(in: directory).conversation.sendUnsent()
            #expect(vendor.texts == ["1", "2", "3"])
        }
    }

    @Test func `a message that is refused at once is thrown, and one that is refused later is reported`() async throws {
        try await withDirectory { directory in
            let features = vendor.features(in: directory)
            vendor.fail(.invalidRequest)
            await #expect(throws: SanctuaryError.self) { try await features.conversation.send("1") }
            #expect(shown(features).isEmpty && vendor.reports.entries.isEmpty)
            vendor.fail(.unavailable)
            await #expect(throws: SanctuaryError.self) { try await features.conversation.send("2") }
            vendor.fail(.forbidden)
            try await features.conversation.sendUnsent()
            #expect(shown(features).isEmpty)
            #expect(vendor.reports.entries == [.givenUp])
        }
    }

    @Test func `a message that may have been sent is not sent again: another SDK would make it two`() async throws {
        try await withDirectory { directory in
            let features = vendor.features(in: directory)
            vendor.fail(.outcomeUnknown)
            await #expect(throws: SanctuaryError.self) { try await features.conversation.send("1") }
            try await features.conversation.sendUnsent()
            #expect(shown(features).isEmpty && vendor.keys.entries == ["k1"])
        }
    }

    @Test func `what waits is its author's, who finds it after the next sign-in`() async throws {
        try await withDirectory { directory in
            let features = vendor.features(in: directory)
            await #expect(throws: SanctuaryError.self) { try await features.conversation.send("1") }
            #expect(shown(features) == ["1?"])
            try await features.account.signOut()
            #expect(shown(features).isEmpty)
            try await features.conversation.sendUnsent()
            _ = try await features.account.signIn(user: "kenji", password: "sandbox")
            vendor.fail(nil)
            try await features.conversation.sendUnsent()
            #expect(vendor.texts.isEmpty)
            vendor.fail(.timeout)
            _ = try await features.account.signIn(user: "amara", password: "sandbox")
            try await features.conversation.sendUnsent()
            #expect(shown(features) == ["1?"])
        }
    }

    @Test func `a sign-out does not wait for a message that is being sent, and its author has it again`() async throws {
        try await withDirectory { directory in
            let gate = TestGate()
            let features = vendor.features(in: directory, holding: gate)
            let sent = Task { try await features.conversation.send("1") }
            await until { vendor.keys.entries == ["k1"] }
            try await features.account.signOut()
            gate.open()
            let error = await #expect(throws: SanctuaryError.self) { try await sent.value }
            #expect(error?.code == .unreachable || error?.code == .authenticationRequired)
            _ = try await features.account.signIn(user: "amara", password: "sandbox")
            vendor.fail(nil)
            try await features.conversation.sendUnsent()
            #expect(vendor.texts == ["1"])
            #expect(vendor.keys.entries == ["k1", "k1"])
        }
    }

    @Test func `a directory that cannot be written is an error before anything is sent`() async throws {
        let features = vendor.features(in: "/dev/null/unsent")
        let error = await #expect(throws: FeatureError.self) { try await features.conversation.send("1") }
        #expect(error?.code == .notKept)
        #expect(vendor.keys.entries.isEmpty)
    }
}
