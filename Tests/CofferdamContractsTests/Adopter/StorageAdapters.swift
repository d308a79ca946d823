import Cofferdam
import CofferdamContracts

// snippet: first try
struct FirstTry: Storage {
    let vault = Vault()

    func set(_ text: String, for key: String) { vault.put(text, at: key) }
    func text(for key: String) -> String { vault.read(key) }
    func remove(_ key: String) { vault.delete(key) }

    func keys(after cursor: String?, limit: Int) throws -> KeyPage {
        guard let page = vault.keys(token: cursor, count: limit) else { throw StorageError.badCursor }
        return KeyPage(keys: page.keys, next: page.next)
    }
}

extension AdapterUnderTest<StorageSubject> {
    static let firstTry = AdapterUnderTest(name: "first try") { StorageSubject(storage: FirstTry()) }
}
// end

// snippet: adapter
actor VaultStorage: Storage {
    private let vault: Vault

    init(vault: Vault) { self.vault = vault }

    func set(_ text: String, for key: String) { vault.put(text, at: key) }

    func text(for key: String) throws -> String {
        guard vault.holds(key) else { throw StorageError.missing }
        return vault.read(key)
    }

    func remove(_ key: String) { vault.delete(key) }

    func keys(after cursor: String?, limit: Int) throws -> KeyPage {
        guard let page = vault.keys(token: cursor, count: limit) else { throw StorageError.badCursor }
        if let next = page.next, next == cursor { throw StorageError.badCursor }
        return KeyPage(keys: page.keys, next: page.next)
    }
}

extension AdapterUnderTest<StorageSubject> {
    static let vault = AdapterUnderTest(name: "vault", capabilities: ["vendorCursors"]) {
        let vault = Vault()
        return StorageSubject(
            storage: VaultStorage(vault: vault),
            empty: { vault.wipe() },
            put: { vault.put($0, at: $1) },
            setQuirk: { vault.setOddity($0) },
            expireCursors: { vault.forgetTokens() }
        )
    }
}
// end

// snippet: fake
/// The app's own fake, which keeps the same contract.
actor MemoryStorage: Storage {
    private var texts: [String: String] = [:]

    func set(_ text: String, for key: String) { texts[key] = text }

    func text(for key: String) throws -> String {
        guard let text = texts[key] else { throw StorageError.missing }
        return text
    }

    func remove(_ key: String) { texts[key] = nil }
    func removeAll() { texts = [:] }

    func keys(after cursor: String?, limit: Int) throws -> KeyPage {
        let mark = "after "
        if let cursor, !cursor.hasPrefix(mark) { throw StorageError.badCursor }
        let start = cursor?.dropFirst(mark.count) ?? ""
        let rest = texts.keys.sorted().filter { $0 > start }
        let keys = Array(rest.prefix(max(1, limit)))
        return KeyPage(keys: keys, next: keys.count < rest.count ? keys.last.map { mark + $0 } : nil)
    }
}

extension AdapterUnderTest<StorageSubject> {
    static let memory = AdapterUnderTest(name: "memory", identity: AdapterIdentity(.fake)) {
        let memory = MemoryStorage()
        return StorageSubject(
            storage: memory,
            empty: { await memory.removeAll() },
            put: { await memory.set($0, for: $1) }
        )
    }
}
// end

extension Vault {
    fileprivate func setOddity(_ quirk: PagingQuirk) {
        switch quirk {
        case .emptyPageWithCursor: setOddity(.emptyPage)
        case .emptyStringCursor: setOddity(.emptyToken)
        case .repeatedCursor: setOddity(.repeatedToken)
        }
    }
}
