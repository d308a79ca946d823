/// What the app needs, in the app's own types.
public protocol Settings: Sendable {
    func value(of key: String) async throws -> SettingsValue
    func values(of keys: [String]) -> AsyncThrowingStream<SettingsValue, any Error>
}

public struct SettingsValue: Sendable, Hashable, Codable {
    public var key: String
    public var text: String
    /// The parsers: the vendor's Swift module, and its C module.
    public var parsers: [String]

    public init(key: String, text: String, parsers: [String]) {
        self.key = key
        self.text = text
        self.parsers = parsers
    }
}

public enum SettingsError: Error, Hashable {
    case unknown(key: String)
}

#if CHANGED
@_alwaysEmitIntoClient public var settingsPortsDigest: String { "changed" }
#else
@_alwaysEmitIntoClient public var settingsPortsDigest: String { "first" }
#endif
