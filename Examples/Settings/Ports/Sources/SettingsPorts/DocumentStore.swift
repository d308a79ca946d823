/// Stores the documents as text. The app provides it; a side only reads and writes YAML.
public protocol DocumentStore: Sendable {
    /// Returns the text of a document; nil if no document has this name.
    func text(of name: String) async throws -> String?
    /// Stores a document, replacing an earlier one; nil removes it.
    func put(_ text: String?, as name: String) async throws
    /// Returns all names, in any order.
    func names() async throws -> [String]
}

/// How a side reads documents.
public enum SettingsReading: Sendable, Hashable {
    /// As ``Settings`` specifies: the adapter corrects what its decoder does differently.
    case corrected
    /// As the vendor's decoder does by default, without corrections. This shows how the vendor's two majors differ.
    case vendorDefault
}

/// A side's entry point. It returns a port whose documents are in the given store.
public typealias OpenSettings =
    @Sendable (_ store: any DocumentStore, _ reading: SettingsReading) async throws -> any Settings

/// The settings, and how to close them.
public struct OpenedSettings: Sendable {
    public var settings: any Settings
    /// Closes the settings when the app no longer needs them.
    public var close: @Sendable () async -> Void

    public init(settings: any Settings, close: @escaping @Sendable () async -> Void = {}) {
        self.settings = settings
        self.close = close
    }
}
