/// The user's profiles, each a document that people also edit by hand.
public protocol Settings: Sendable {
    /// Reads a profile.
    ///
    /// A text in quotes is read as it stands, also `''` and `'~'`, and a Boolean in quotes as a Boolean. A number in quotes is
    /// refused.
    ///
    /// - Throws: ``SettingsError``: `missing`; `invalid` for a document that is not a profile, or gives a key twice;
    ///   what the store throws.
    func profile(named name: String) async throws -> Profile

    /// Writes a profile, and replaces one of this name. Reading it gives the same values.
    ///
    /// - Throws: `cannotSave` for a shortcut of the key `<<`; what the store throws.
    func save(_ profile: Profile, as name: String) async throws

    /// Removes a profile. It may be missing.
    func remove(_ name: String) async throws

    /// One page of the names, in their order.
    ///
    /// - Parameters:
    ///   - cursor: the ``NamePage/next`` of the page before; nil for the first one.
    ///   - limit: at least 1.
    /// - Throws: `badCursor`.
    func names(after cursor: String?, limit: Int) async throws -> NamePage
}

/// One page of the profiles' names.
public struct NamePage: Sendable, Hashable {
    public var names: [String]
    /// Leads to the next page; nil on the last one.
    public var next: String?

    public init(names: [String], next: String?) {
        self.names = names
        self.next = next
    }
}

/// What can go wrong. An error never shows a document's text.
public enum SettingsError: Error, Sendable, Hashable {
    case missing(name: String)
    /// The document is not a profile.
    case invalid(name: String, reason: InvalidDocument)
    case badCursor
    /// The file format cannot keep this shortcut's key.
    case cannotSave(key: String)
}

/// Why a document is not a profile.
public enum InvalidDocument: Error, Sendable, Hashable {
    /// It is not YAML; the line counts from 1, and is nil if the parser does not tell it.
    case syntax(line: Int?)
    case duplicateKey(String)
    case missingKey(String)
    /// The value is not what the key wants: a list where a text should be.
    case wrongType(key: String)
    /// It is no mapping of keys to values: an empty document, a list.
    case notAProfile
}

extension NamePage {
    /// The page of sorted names that follows a cursor, which is the last name of the page before.
    ///
    /// - Throws: `badCursor` for an empty cursor.
    public init(of names: [String], after cursor: String?, limit: Int) throws(SettingsError) {
        if cursor == "" { throw .badCursor }
        let rest = names.sorted().filter { $0 > cursor ?? "" }
        let page = Array(rest.prefix(max(1, limit)))
        self.init(names: page, next: page.count < rest.count ? page.last : nil)
    }
}
