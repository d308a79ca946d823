import Cofferdam
import CofferdamContracts
import CofferdamTesting

/// A port's table, followed by its forwarding conformance, as an adopter writes them.
enum KeyValueStoreOperations {
    static let set = PortOperation<any KeyValueStore, (String, key: String), Void>("set", .write) {
        try await $0.set($1.0, for: $1.key)
    }
    .recorded { ["value": $0.0, "key": $0.key] }

    static let value = PortOperation<any KeyValueStore, String, String?>("value", .read) {
        try await $0.value(for: $1)
    }
    .recorded { ["key": $0] }
}

extension Intercepted: KeyValueStore where Port == any KeyValueStore {
    func set(_ value: String, for key: String) async throws {
        try await call(KeyValueStoreOperations.set, (value, key: key)) { try await $0.set($1.0, for: $1.key) }
    }

    func value(for key: String) async throws -> String? {
        try await call(KeyValueStoreOperations.value, key) { try await $0.value(for: $1) }
    }
}

/// The store's error, which is recorded on tapes unchanged.
struct StoreError: Error, Codable, Hashable, TapeErrorRecord {
    var code: String
    var hint: String?
}

/// Returns the test's scripted answers, one for each call.
final class ScriptedStore: KeyValueStore {
    typealias Answer = @Sendable () async throws -> String?

    private let answers: Mutex<[Answer]>

    init(_ answers: [Answer]) { self.answers = Mutex(answers.reversed()) }
    init(values: [String?]) { answers = Mutex(values.reversed().map { value in { value } }) }

    func set(_ value: String, for key: String) async throws { _ = try await self.value(for: key) }

    func value(for key: String) async throws -> String? {
        let answer = answers.withLock { $0.popLast() }
        return try await answer?()
    }
}

/// A port with a stream.
protocol Watching: Sendable {
    func changes(of key: String) -> any AsyncSequence<String, any Error> & Sendable
}

private let changes = StreamingOperation<any Watching, String, String>("changes") { $0.changes(of: $1) }
    .recorded { ["key": $0] }

extension Intercepted: Watching where Port == any Watching {
    func changes(of key: String) -> any AsyncSequence<String, any Error> & Sendable {
        stream(CofferdamContractsTests.changes, key)
    }
}

/// Delivers what the test sends.
struct BufferWatching: Watching {
    let buffer = EventBuffer<String>()

    func changes(of key: String) -> any AsyncSequence<String, any Error> & Sendable { buffer.events }
    func send(_ change: String) { buffer.send(change) { "lost" } }
}

/// Records the calls that `body` makes to the store.
func tape(
    of store: any KeyValueStore = DictionaryStore(),
    redaction: TapeRedaction = TapeRedaction(),
    _ body: (any KeyValueStore) async throws -> Void
) async throws -> Tape {
    let recorder = try TapeRecorder("a test", redaction: redaction, clock: TestClock(), environment: [:])
    try await body(Intercepted(store, by: [recorder.interceptor(errors: StoreError.self)]))
    return try recorder.finish()
}

extension TapePlayer {
    var store: any KeyValueStore { Intercepted<any KeyValueStore>(source: source(errors: StoreError.self)) }
}

/// Returns the outcome as text for comparison.
func outcome<Value: Sendable>(_ operation: () async throws -> Value) async -> String {
    do { return "\(try await operation())" } catch { return "threw \(error)" }
}
