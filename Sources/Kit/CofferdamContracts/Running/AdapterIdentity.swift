/// What an adapter is, and of which versions (KIT-08).
public struct AdapterIdentity: Sendable, Hashable, Codable {
    public var kind: AdapterKind
    /// Of the adapter's own code; nil if nobody has said it.
    public var version: String?
    /// Of the vendor's SDK that it drives, or of what it is a fake of.
    public var sdk: String?

    public init(_ kind: AdapterKind = .live, version: String? = nil, sdk: String? = nil) {
        self.kind = kind
        self.version = version
        self.sdk = sdk
    }
}

/// Whether a vendor stands behind an adapter.
public enum AdapterKind: String, Sendable, Hashable, Codable {
    case live
    /// One that stands in for the live ones: it may declare nothing that none of them does (KIT-10).
    case fake
}

/// What a report tells of an adapter.
public struct AdapterDescription: Sendable, Hashable, Codable {
    public var name: String
    public var identity: AdapterIdentity
    /// Sorted.
    public var capabilities: [CapabilityTag]

    public init(name: String, identity: AdapterIdentity = AdapterIdentity(), capabilities: [CapabilityTag] = []) {
        self.name = name
        self.identity = identity
        self.capabilities = capabilities
    }

    public init<Subject>(_ adapter: AdapterUnderTest<Subject>) {
        self.init(name: adapter.name, identity: adapter.identity, capabilities: adapter.capabilities.sorted())
    }
}
