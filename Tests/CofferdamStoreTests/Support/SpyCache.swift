import Cofferdam
import CofferdamStore
import CofferdamTesting
import TestSupport

/// A cache in memory that records its calls, and waits or fails on demand.
final class SpyCache: ModelCache {
    struct Broken: Error, Equatable {
        var key: String
    }

    private struct State {
        var entries: [String: [UInt8]] = [:]
        var reads: [String] = []
        var writes: [String] = []
        var gates: [String: TestGate] = [:]
        var broken: Set<String> = []
    }

    private let state = Mutex(State())

    var reads: [String] { state.withLock { $0.reads } }
    /// The written keys, in order.
    var writes: [String] { state.withLock { $0.writes } }

    var entryCount: Int { state.withLock { $0.entries.count } }

    /// The entry of a key, as text; nil if there is none, empty if it marks a deletion.
    subscript(key: String) -> String? {
        get { state.withLock { $0.entries[key] }.map { String(decoding: $0, as: UTF8.self) } }
        set { state.withLock { $0.entries[key] = newValue.map { Array($0.utf8) } } }
    }

    /// Makes reads and writes of a key wait at the returned gate.
    func close(_ key: String) -> TestGate {
        let gate = TestGate()
        state.withLock { $0.gates[key] = gate }
        return gate
    }

    /// Makes reads and writes of a key fail, or succeed again.
    func breaks(_ key: String, _ isBroken: Bool = true) {
        state.withLock { state in
            if isBroken { state.broken.insert(key) } else { state.broken.remove(key) }
        }
    }

    func forgetCalls() { state.withLock { ($0.reads, $0.writes) = ([], []) } }

    func bytes(for key: String) async throws -> [UInt8]? {
        let bytes = state.withLock { state in
            state.reads.append(key)
            return state.entries[key]
        }
        try await pass(key)
        return bytes
    }

    func set(_ bytes: [UInt8]?, for key: String) async throws {
        try await pass(key)
        state.withLock { state in
            state.writes.append(key)
            state.entries[key] = bytes
        }
    }

    func removeAll() async throws {
        try await pass("all")
        state.withLock { $0.entries = [:] }
    }

    private func pass(_ key: String) async throws {
        let (gate, isBroken) = state.withLock { ($0.gates[key], $0.broken.contains(key)) }
        await gate?.pass()
        if isBroken { throw Broken(key: key) }
    }
}
