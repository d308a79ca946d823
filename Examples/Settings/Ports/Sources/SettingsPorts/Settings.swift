/// The user's profiles. Each is a document that people also edit by hand.
public protocol Settings: Sendable {
    /// Reads a profile.
    ///
    /// Quoted text is read literally, even `''` and `'~'`. A quoted Boolean is read as a Boolean; a quoted number
    /// is refused.
    ///
    /// - Throws: ``SettingsError/missing(name:)``; ``SettingsError/invalid(name:reason:)`` for a document that is not a
    ///   profile or has a duplicate key; errors of the store.
    func profile(named name: String) async throws -> Profile

    /// Saves a profile, replacing one with the same name. Reading it returns the same values.
    ///
    /// - Throws: ``SettingsError/cannotSave(key:)`` for a shortcut with the key `<<`; errors of the store.
    func save(_ profile: Profile, as name: String) async throws

    /// Removes a profile, if there is one with this name.
    ///
    /// - Throws: errors of the store.
    func remove(_ name: String) async throws

    /// Returns one page of the names, in sorted order.
    ///
    /// - Parameters:
    ///   - cursor: the ``NamePage/next`` of the previous page; nil for the first page.
    ///   - limit: at least 1.
    /// - Throws: ``SettingsError/badCursor``; errors of the store.
    func names(after cursor: String?, limit: Int) async throws -> NamePage
}

/// One page of the profiles' names.
public struct NamePage: Sendable, Hashable {
    public var names: [String]
    /// The cursor of the next page; nil on the last page.
    public var next: String?

    public init(names: [String], next: String?) {
        self.names = names
        self.next = next
    }
}

/// An error of ``Settings``. It never contains a document's text.
public enum SettingsError: Error, Sendable, Hashable {
    case missing(name: String)
    /// The document is not a profile.
    case invalid(name: String, reason: InvalidDocument)
    case badCursor
    /// The file format cannot represent a shortcut with this key.
    case cannotSave(key: String)
}

/// Why a document is not a profile.
public enum InvalidDocument: Error, Sendable, Hashable {
    /// It is not YAML. Lines are numbered from 1; nil if the parser does not report one.
    case syntax(line: Int?)
    case duplicateKey(String)
    case missingKey(String)
    /// The value of the key has the wrong type, such as a list instead of text.
    case wrongType(key: String)
    /// It is not a mapping of keys to values, but an empty document or a list, for example.
    case notAProfile
}

extension NamePage {
    /// Creates the page of sorted names that follows a cursor, the last name of the previous page.
    ///
    /// - Throws: `badCursor` for an empty cursor.
    public init(of names: [String], after cursor: String?, limit: Int) throws(SettingsError) {
        if cursor == "" { throw .badCursor }
        let rest = names.sorted().filter { $0 > cursor ?? "" }
        let page = Array(rest.prefix(max(1, limit)))
        self.init(names: page, next: page.count < rest.count ? page.last : nil)
    }
}
