/// Keeps the documents' texts. The app provides it: a side only reads and writes YAML.
public protocol DocumentStore: Sendable {
    /// Returns a document's text; nil if there is none of this name.
    func text(of name: String) async throws -> String?
    /// Replaces a document's text; nil removes it.
    func put(_ text: String?, as name: String) async throws
    /// All names, in any order.
    func names() async throws -> [String]
}

/// How a side reads documents.
public enum SettingsReading: Sendable, Hashable {
    /// As ``Settings`` promises.
    case asPromised
    /// As the vendor's own decoder does, with nothing mended: so the contract shows in what the vendor's majors differ.
    case asTheVendorDoes
}

/// What a side gives: it makes a port that keeps its documents in the store.
public typealias OpenSettings =
    @Sendable (_ store: any DocumentStore, _ reading: SettingsReading) async throws -> any Settings

/// The settings, as long as the app uses them.
public struct OpenedSettings: Sendable {
    public var settings: any Settings
    /// Ends the use.
    public var close: @Sendable () async -> Void

    public init(settings: any Settings, close: @escaping @Sendable () async -> Void = {}) {
        self.settings = settings
        self.close = close
    }
}
