import Cofferdam
import CofferdamContracts
import CofferdamTesting

/// A minimal port for the kit's own tests.
protocol KeyValueStore: Sendable {
    func set(_ value: String, for key: String) async throws
    func value(for key: String) async throws -> String?
}

final class DictionaryStore: KeyValueStore {
    private let values = Mutex<[String: String]>([:])

    func set(_ value: String, for key: String) { values.withLock { $0[key] = value } }
    func value(for key: String) -> String? { values.withLock { $0[key] } }
}

/// A mutant's store.
struct ChangedStore: KeyValueStore {
    let clean: any KeyValueStore
    let change: @Sendable (String?) -> String?

    func set(_ value: String, for key: String) async throws { try await clean.set(value, for: key) }
    func value(for key: String) async throws -> String? { change(try await clean.value(for: key)) }
}

typealias Subject = any KeyValueStore

struct Broken: Error {}

enum StoreContract {
    static let remembers = Rule<Subject>("kv/KV-01", "A value that was set is found") { store, _ in
        var findings = Findings()
        try await store.set("b", for: "a")
        findings.expectEqual(try await store.value(for: "a"), "b", "value of a")
        return findings.violations
    }

    static let forgets = Rule<Subject>("kv/KV-02", "A key that was not set has no value") { store, _ in
        var findings = Findings()
        findings.expectEqual(try await store.value(for: "nothing"), nil, "value of nothing")
        return findings.violations
    }

    static let expires = Rule<Subject>("kv/KV-03", "Values expire", level: .optional, requires: ["expiry"]) { _, _ in []
    }

    static func throwing(_ error: any Error) -> Rule<Subject> { Rule("kv/KV-04", "Throws") { _, _ in throw error } }

    static func hanging(on gate: TestGate, started: TestGate) -> Rule<Subject> {
        Rule("kv/KV-05", "Hangs", bound: .seconds(1)) { _, _ in
            started.open()
            await gate.pass()
            return []
        }
    }
}

extension AdapterUnderTest<Subject> {
    static let dictionary = AdapterUnderTest(name: "dictionary", identity: AdapterIdentity(.fake)) { DictionaryStore() }
    static let constant = AdapterUnderTest(name: "constant", identity: AdapterIdentity(.fake)) {
        ChangedStore(clean: DictionaryStore(), change: { _ in "always" })
    }
}
