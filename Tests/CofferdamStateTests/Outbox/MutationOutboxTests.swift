import Cofferdam
import CofferdamState
import CofferdamTesting
import Foundation
import Testing
import TestSupport

@Suite struct MutationOutboxTests {
    typealias Outbox = MutationOutbox<Draft, String>

    struct Draft: Codable, Hashable, Sendable {
        var scope = "a"
        var text: String
    }

    struct Message: Identifiable, Hashable, Sendable {
        var id: String
        var text: String
        var isPending = false
    }

    /// A service that knows keys: it carries out each once, however often it gets it.
    final class Service: Sendable {
        let calls = Log<String>()
        private let made = Mutex<[String: String]>([:])
        private let failures = Mutex<[String: any Error]>([:])
        private let gates = Mutex<[String: TestGate]>([:])

        var messages: [Message] {
            made.withLock { $0.map { Message(id: $0.key, text: $0.value) } }.sorted { $0.text < $1.text }
        }

        func fail(_ text: String, with error: (any Error)?) { failures.withLock { $0[text] = error } }

        func hold(_ text: String) -> TestGate {
            gates.withLock { gates in
                let gate = TestGate()
                gates[text] = gate
                return gate
            }
        }

        func send(_ entry: Outbox.Entry) async throws -> String {
            calls.add(entry.input.text)
            await gates.withLock { $0[entry.input.text] }?.pass()
            if let error = failures.withLock({ $0[entry.input.text] }) { throw error }
            made.withLock { $0[entry.key] = entry.input.text }
            return entry.key
        }
    }

    private let service = Service()
    private let messages = Loadable<[Message]> { [] }
    private let told = Log<String>()
    private let confirmed = Log<String>()

    private func outbox(
        in directory: String,
        of user: String = "ada",
        limit: Int = 9,
        _ messages: Loadable<[Message]>? = nil
    ) -> Outbox {
        let messages = messages ?? self.messages
        return Outbox(
            directory: directory,
            user: user,
            limit: limit,
            scope: { $0.scope },
            optimistically: { entry in
                let message = Message(id: entry.key, text: entry.input.text, isPending: true)
                return [messages.writeOptimistically { ($0 ?? []).upserting(message) }]
            },
            confirm: { [confirmed] entry, key, writes in
                confirmed.add(entry.input.text)
                for write in writes {
                    messages.confirm(write) { ($0 ?? []).upserting(Message(id: key, text: entry.input.text)) }
                }
            },
            isFinal: { $0 as? TestError == TestError("refused") },
            tell: { [told] notice in
                switch notice {
                case .givenUp(let entry, let error): told.add("given up: \(entry.input.text), \(error)")
                case .setAside(let path, _): told.add("set aside: \(URL(filePath: path).lastPathComponent)")
                case .notRemoved(let entry, _): told.add("not removed: \(entry.input.text)")
                }
            },
            perform: { [service] in try await service.send($0) }
        )
    }

    private func shown(_ messages: Loadable<[Message]>? = nil) -> [String] {
        ((messages ?? self.messages).snapshot.contents ?? []).map { $0.text + ($0.isPending ? "?" : "") }
    }

    private func waiting(_ outbox: Outbox) -> [String] { outbox.entries.current.map(\.input.text) }

    private func inFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outbox-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let result: Result<Void, any Error>
        do { result = .success(try await body(folder)) } catch { result = .failure(error) }
        removeFolder(folder)
        try result.get()
    }

    private func file(in folder: String) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }
        return folder + "/" + (try #require(names.first))
    }

    @Test func `what waits is on screen and goes out when the network is back`() async throws {
        try await inFolder { folder in
            let outbox = outbox(in: folder)
            for text in ["1", "2"] { try await outbox.add(Draft(text: text)) }
            #expect(shown() == ["1?", "2?"])
            service.fail("1", with: TestError("offline"))
            try await outbox.send()
            #expect(service.calls.entries == ["1"], "the second does not overtake the first")
            #expect(shown() == ["1?", "2?"] && waiting(outbox) == ["1", "2"] && told.entries.isEmpty)
            service.fail("1", with: nil)
            try await outbox.send()
            #expect(service.calls.entries == ["1", "1", "2"])
            #expect(shown() == ["1", "2"] && waiting(outbox).isEmpty)
        }
    }

    @Test func `what waits survives a restart, with its key and on screen`() async throws {
        try await inFolder { folder in
            let key = try await outbox(in: folder).add(Draft(text: "1")).key
            // A crash while the next one was written.
            try Data("{".utf8).write(to: URL(filePath: try file(in: folder) + ".new"))
            let later = Loadable<[Message]> { [] }
            let outbox = outbox(in: folder, later)
            try await outbox.open()
            #expect(shown(later) == ["1?"])
            try await outbox.send()
            #expect(service.messages == [Message(id: key, text: "1")] && shown(later) == ["1"])
            let last = self.outbox(in: folder)
            try await last.open()
            #expect(waiting(last).isEmpty)
        }
    }

    @Test func `a crash between sending and removing sends the same key again, which the service makes once`()
        async throws
    {
        try await inFolder { folder in
            let outbox = outbox(in: folder)
            let key = try await outbox.add(Draft(text: "1")).key
            let path = try file(in: folder)
            let before = try Data(contentsOf: URL(filePath: path))
            try await outbox.send()
            try before.write(to: URL(filePath: path))
            let restarted = self.outbox(in: folder)
            try await restarted.send()
            #expect(service.calls.entries == ["1", "1"] && service.messages == [Message(id: key, text: "1")])
            #expect(waiting(restarted).isEmpty)
        }
    }

    @Test func `a change that cannot be removed from the file is told of, and not sent twice by this app`() async throws
    {
        try await inFolder { folder in
            let (outbox, gate) = (outbox(in: folder), service.hold("1"))
            try await outbox.add(Draft(text: "1"))
            let sending = Task { try await outbox.send() }
            await until { gate.arrivals == 1 }
            removeFolder(folder)
            gate.open()
            try await sending.value
            #expect(told.entries == ["not removed: 1"] && waiting(outbox).isEmpty && shown() == ["1"])
            try await outbox.send()
            #expect(service.calls.entries == ["1"])
            await #expect(throws: MutationOutboxError.self) { try await outbox.add(Draft(text: "2")) }
            #expect(shown() == ["1"] && waiting(outbox).isEmpty)
        }
    }

    @Test func `two scopes are sent at once, and one in its order`() async throws {
        try await inFolder { folder in
            let outbox = outbox(in: folder)
            let gates = ["a1", "b1"].map { service.hold($0) }
            for (scope, text) in [("a", "a1"), ("b", "b1"), ("a", "a2")] {
                try await outbox.add(Draft(scope: scope, text: text))
            }
            let sending = Task { try await outbox.send() }
            await until { gates.allSatisfy { $0.arrivals == 1 } }
            // A second call waits for the first, and finds nothing to send.
            let second = Task { try await outbox.send() }
            gates[1].open()
            await until { waiting(outbox) == ["a1", "a2"] }
            #expect(service.calls.entries.sorted() == ["a1", "b1"])
            gates[0].open()
            try await sending.value
            try await second.value
            #expect(service.calls.entries.sorted() == ["a1", "a2", "b1"] && service.calls.entries.last == "a2")
        }
    }

    @Test func `what is refused for good is told of, and the next one goes`() async throws {
        try await inFolder { folder in
            let outbox = outbox(in: folder)
            for text in ["1", "2"] { try await outbox.add(Draft(text: text)) }
            service.fail("1", with: TestError("refused"))
            try await outbox.send()
            #expect(told.entries == ["given up: 1, \(TestError("refused"))"])
            #expect(shown() == ["2"] && waiting(outbox).isEmpty)
        }
    }

    @Test func `a limit, and two with equal contents are two`() async throws {
        try await inFolder { folder in
            let outbox = outbox(in: folder, limit: 2)
            let keys = [try await outbox.add(Draft(text: "1")).key, try await outbox.add(Draft(text: "1")).key]
            #expect(keys[0] != keys[1])
            let error = await #expect(throws: MutationOutboxError.self) { try await outbox.add(Draft(text: "3")) }
            #expect(error?.code == .full && shown() == ["1?", "1?"])
            try await outbox.send()
            #expect(service.messages.map(\.id).sorted() == keys.sorted())
            try await outbox.add(Draft(text: "3"))
        }
    }

    @Test func `one that is not being sent can be taken back`() async throws {
        try await inFolder { folder in
            let (outbox, gate) = (outbox(in: folder), service.hold("1"))
            let first = try await outbox.add(Draft(text: "1"))
            let second = try await outbox.add(Draft(text: "2"))
            let sending = Task { try await outbox.send() }
            await until { gate.arrivals == 1 }
            #expect(try await !outbox.cancel(first.key))
            #expect(try await outbox.cancel(second.key))
            #expect(try await !outbox.cancel(second.key))
            #expect(shown() == ["1?"])
            gate.open()
            try await sending.value
            #expect(service.calls.entries == ["1"] && shown() == ["1"])
        }
    }

    @Test func `what a cancelled task did not send waits`() async throws {
        try await inFolder { folder in
            let (outbox, gate) = (outbox(in: folder), service.hold("1"))
            for text in ["1", "2"] { try await outbox.add(Draft(text: text)) }
            let sending = Task { try await outbox.send() }
            await until { gate.arrivals == 1 }
            sending.cancel()
            gate.open()
            try await sending.value
            #expect(service.calls.entries == ["1"] && waiting(outbox) == ["2"])
            service.fail("2", with: CancellationError())
            try await outbox.send()
            #expect(waiting(outbox) == ["2"], "a cancelled request is no refusal")
        }
    }

    @Test func `what one user wrote is sent in no other user's session`() async throws {
        try await inFolder { folder in
            let (ada, gate) = (outbox(in: folder), service.hold("1"))
            for text in ["1", "2"] { try await ada.add(Draft(text: text)) }
            let sending = Task { try await ada.send() }
            await until { gate.arrivals == 1 }
            let closed = Log<Bool>()
            let closing = Task {
                await ada.close()
                closed.add(true)
            }
            await until { waiting(ada).isEmpty }
            #expect(shown().isEmpty && closed.entries.isEmpty, "one is still being sent")
            gate.open()
            await closing.value
            try await sending.value
            #expect(service.calls.entries == ["1"])
            #expect(confirmed.entries.isEmpty, "the screens may be another user's by now")
            await #expect(throws: MutationOutboxError.self) { try await ada.add(Draft(text: "3")) }
            await #expect(throws: MutationOutboxError.self) { try await ada.send() }

            let bert = outbox(in: folder, of: "bert/../ada", Loadable { [] })
            try await bert.add(Draft(text: "b"))
            try await bert.send()
            await bert.close()
            #expect(service.calls.entries == ["1", "b"])

            let back = outbox(in: folder)
            try await back.open()
            #expect(waiting(back) == ["2"] && shown() == ["2?"])
        }
    }

    @Test(arguments: ["{", "", #"{"user":"bert","entries":[]}"#, #"{"user":"ada","entries":[{"key":1}]}"#])
    func `a file that cannot be read is set aside and told of`(content: String) async throws {
        try await inFolder { folder in
            try await outbox(in: folder).add(Draft(text: "1"))
            let path = try file(in: folder)
            for number in 1...2 {
                try Data(content.utf8).write(to: URL(filePath: path))
                let outbox = outbox(in: folder)
                try await outbox.open()
                #expect(waiting(outbox).isEmpty)
                let aside = "\(path).damaged-\(number)"
                #expect(try Data(contentsOf: URL(filePath: aside)) == Data(content.utf8))
                #expect(told.entries.last == "set aside: \(URL(filePath: aside).lastPathComponent)")
                try await outbox.add(Draft(text: "2"))
            }
        }
    }

    @Test func `a folder that cannot be used is an error, and nothing waits`() async throws {
        let outbox = outbox(in: "/dev/null/none")
        await #expect(throws: MutationOutboxError.self) { try await outbox.add(Draft(text: "1")) }
        #expect(shown().isEmpty && waiting(outbox).isEmpty)
    }
}
