// snippet: subject
import CofferdamContracts

struct StorageSubject: Sendable {
    var storage: any Storage
    // The vendor's side.
    var empty: @Sendable () -> Void = {}
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
            findings.add("expected that it is missing, got \"\(text)\"")
        } catch StorageError.missing {}
        return findings.violations
    }
}
// end

// snippet: decorator
/// A storage with some calls replaced.
struct ChangedStorage: Storage {
    typealias Keys = @Sendable (_ cursor: String?, _ limit: Int) async throws -> KeyPage

    let clean: any Storage
    var text: (@Sendable (String) async throws -> String)?
    var remove: (@Sendable (String) async throws -> Void)?
    var keys: Keys?

    func set(_ text: String, for key: String) async throws { try await clean.set(text, for: key) }

    func text(for key: String) async throws -> String {
        if let text { try await text(key) } else { try await clean.text(for: key) }
    }

    func remove(_ key: String) async throws {
        if let remove { try await remove(key) } else { try await clean.remove(key) }
    }

    func keys(after cursor: String?, limit: Int) async throws -> KeyPage {
        if let keys { try await keys(cursor, limit) } else { try await clean.keys(after: cursor, limit: limit) }
    }
}
// end

// snippet: mutant
extension PortCall<StorageSubject, String, String> {
    static let text = PortCall(
        "text",
        get: { subject in { try await subject.storage.text(for: $0) } },
        replace: { subject, text in
            var subject = subject
            subject.storage = ChangedStorage(clean: subject.storage, text: text)
            return subject
        }
    )
}

let takesMissingForEmpty = Mutant<StorageSubject>("store/STORE-02", "takes a missing text for an empty one") {
    subject,
    effect in
    PortCall.text.replaced(in: subject) { clean, key in
        do {
            return try await clean(key)
        } catch StorageError.missing {
            effect.occurred()
            return ""
        }
    }
}

let forgetsEmptyTexts = Mutant<StorageSubject>("store/STORE-01", "forgets empty texts") { subject, effect in
    PortCall.text.replaced(in: subject) { clean, key in
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
                var subject = subject
                let keys: ChangedStorage.Keys = { cursor, limit in
                    let page = try await list(ListQuery(cursor: cursor, limit: limit))
                    return KeyPage(keys: page.items, next: page.next)
                }
                subject.storage = ChangedStorage(clean: subject.storage, keys: keys)
                return subject
            }
        ),
        isInvalidCursor: { $0 as? StorageError == .badCursor },
        seed: { subject, count in
            subject.empty()
            let keys = (0..<count).map { "key \(1000 + $0)" }
            for key in keys { try await subject.storage.set("text", for: key) }
            return keys
        },
        setQuirk: { $0.setQuirk($1) },
        expireCursors: { $0.expireCursors() }
    )
}
// end

// snippet: contract
enum StorageContract {
    static let rules =
        [StorageRules.remembers, StorageRules.missing] + keys.rules + StorageModel.operation.rules
    static let mutants =
        [forgetsEmptyTexts, takesMissingForEmpty] + keys.mutants + StorageModel.operation.mutants
}
// end
