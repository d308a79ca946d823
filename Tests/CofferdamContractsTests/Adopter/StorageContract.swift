import Cofferdam
// snippet: subject
import CofferdamContracts

struct StorageSubject: Sendable {
    var storage: any Storage
    // The vendor's side.
    var empty: @Sendable () async -> Void = {}
    var put: @Sendable (_ text: String, _ key: String) async -> Void = { _, _ in }
    var setQuirk: @Sendable (PagingQuirk) -> Void = { _ in }
    var expireCursors: @Sendable () -> Void = {}
}
// end

// snippet: rules
enum StorageRules {
    static let remembers = Rule<StorageSubject>("store/STORE-01", "A text that was set is found, also an empty one") {
        subject,
        _ in
        var findings = Findings()
        for text in ["hello", ""] {
            try await subject.storage.set(text, for: "greeting")
            findings.expectEqual(try await subject.storage.text(for: "greeting"), text, "the greeting")
        }
        return findings.violations
    }

    static let missing = Rule<StorageSubject>("store/STORE-02", "A key without a text is missing, not empty") {
        subject,
        _ in
        var findings = Findings()
        do {
            let text = try await subject.storage.text(for: "nothing")
            findings.add("expected it to be missing, got \"\(text)\"")
        } catch StorageError.missing {}
        return findings.violations
    }
}
// end

// snippet: table
/// The table of `Storage`: each method once, and what it does to the world.
enum StorageOperations {
    static let set = PortOperation<any Storage, (text: String, key: String), Void>("set", .idempotent) {
        try await $0.set($1.text, for: $1.key)
    }

    static let text = PortOperation<any Storage, String, String>("text", .read) { try await $0.text(for: $1) }

    static let remove = PortOperation<any Storage, String, Void>("remove", .idempotent) { try await $0.remove($1) }

    static let keys = PortOperation<any Storage, (cursor: String?, limit: Int), KeyPage>("keys", .read) {
        try await $0.keys(after: $1.cursor, limit: $1.limit)
    }
}

extension Intercepted: Storage where Port == any Storage {
    func set(_ text: String, for key: String) async throws {
        try await call(StorageOperations.set, (text, key)) { try await $0.set($1.text, for: $1.key) }
    }

    func text(for key: String) async throws -> String {
        try await call(StorageOperations.text, key) { try await $0.text(for: $1) }
    }

    func remove(_ key: String) async throws {
        try await call(StorageOperations.remove, key) { try await $0.remove($1) }
    }

    func keys(after cursor: String?, limit: Int) async throws -> KeyPage {
        try await call(StorageOperations.keys, (cursor, limit)) {
            try await $0.keys(after: $1.cursor, limit: $1.limit)
        }
    }
}
// end

// snippet: place
extension PortPlace<StorageSubject, any Storage> {
    static let storage = PortPlace(\.storage) { Intercepted($0, by: $1) }
}
// end

// snippet: mutant
let takesMissingForEmpty = Mutant<StorageSubject>("store/STORE-02", "takes a missing text for an empty one") {
    subject,
    effect in
    PortPlace.storage.replacing(StorageOperations.text, in: subject) { clean, key in
        do {
            return try await clean(key)
        } catch StorageError.missing {
            effect.occurred()
            return ""
        }
    }
}

let forgetsEmptyTexts = Mutant<StorageSubject>("store/STORE-01", "forgets empty texts") { subject, effect in
    PortPlace.storage.replacing(StorageOperations.text, in: subject) { clean, key in
        let text = try await clean(key)
        guard text.isEmpty else { return text }
        effect.occurred()
        throw StorageError.missing
    }
}
// end

// snippet: list
extension StorageContract {
    static let keys = ListOperation<StorageSubject, String>(
        call: PortCall(
            "keys",
            get: { subject in
                { query in
                    let page = try await subject.storage.keys(after: query.cursor, limit: query.limit)
                    return ListPage(items: page.keys, next: page.next)
                }
            },
            replace: { subject, list in
                PortPlace.storage.replacing(StorageOperations.keys, in: subject) { _, input in
                    let page = try await list(ListQuery(cursor: input.cursor, limit: input.limit))
                    return KeyPage(keys: page.items, next: page.next)
                }
            }
        ),
        isInvalidCursor: { $0 as? StorageError == .badCursor },
        seed: { subject, count in
            await subject.empty()
            let keys = (0..<count).map { "key \(1000 + $0)" }
            for key in keys { try await subject.storage.set("text", for: key) }
            return keys
        },
        setQuirk: { $0.setQuirk($1) },
        expireCursors: { $0.expireCursors() }
    )
}
// end

// snippet: fields
/// What the storage shows under a key.
struct Entry: Sendable, Hashable {
    var key: String
    var text: String
}

extension StorageContract {
    static let entries = ShownFields<StorageSubject, String, Entry>(
        fields: [Field("text", \.text, .text)],
        shownBy: [.get(entry)],
        id: \.key,
        usual: Entry(key: "", text: "hello"),
        prepare: { await $0.empty() },
        hold: { subject, entries in
            let held = entries.enumerated().map { Entry(key: "key \($0)", text: $1.text) }
            for entry in held { await subject.put(entry.text, entry.key) }
            return held
        }
    )

    private static let entry = PortCall<StorageSubject, String, Entry>(
        "text",
        get: { subject in { Entry(key: $0, text: try await subject.storage.text(for: $0)) } },
        replace: { subject, perform in
            PortPlace.storage.replacing(StorageOperations.text, in: subject) { _, key in try await perform(key).text }
        }
    )
}
// end

// snippet: contract
enum StorageContract {
    static let rules =
        [StorageRules.remembers, StorageRules.missing] + keys.rules + entries.rules + StorageModel.operation.rules
    static let mutants =
        [forgetsEmptyTexts, takesMissingForEmpty] + keys.mutants + entries.mutants + StorageModel.operation.mutants
}
// end
