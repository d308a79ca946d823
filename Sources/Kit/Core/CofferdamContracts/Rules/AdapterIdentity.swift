/// An adapter's kind and versions (KIT-08).
public struct AdapterIdentity: Sendable, Hashable, Codable {
    package var kind: AdapterKind
    var version: String?
    /// The version of the vendor's SDK that it uses or imitates.
    package var sdk: String?

    /// Creates an identity, by default of a live adapter.
    ///
    /// - Parameters:
    ///   - version: the version of the adapter's own code; nil if not given.
    ///   - sdk: the version of the vendor's SDK that it uses or imitates.
    public init(_ kind: AdapterKind = .live, version: String? = nil, sdk: String? = nil) {
        self.kind = kind
        self.version = version
        self.sdk = sdk
    }
}

/// Whether an adapter contains a vendor's code.
public enum AdapterKind: String, Sendable, Hashable, Codable {
    /// Contains a vendor's code, which may trap, hang or leak: its cases run in a child process where possible.
    case live
    /// Imitates the live ones without a vendor's code: its cases run in the run's own process. It must
    /// declare no capability that no live adapter declares (KIT-10).
    case fake
}

/// A report's description of an adapter.
package struct AdapterDescription: Sendable, Hashable {
    package var name: String
    package var identity: AdapterIdentity
    /// Sorted.
    var capabilities: [CapabilityTag]
    /// The harness's capabilities; sorted.
    package var harnessCapabilities: [HarnessCapability]
    /// Nil for an adapter of the run's own build.
    package var process: AdapterProcess?

    package init(
        name: String,
        identity: AdapterIdentity = AdapterIdentity(),
        capabilities: [CapabilityTag] = [],
        harnessCapabilities: [HarnessCapability] = []
    ) {
        self.name = name
        self.identity = identity
        self.capabilities = capabilities
        self.harnessCapabilities = harnessCapabilities
    }

    package init<Subject>(_ adapter: AdapterUnderTest<Subject>) {
        self =
            adapter.elsewhere
            ?? Self(
                name: adapter.name,
                identity: adapter.identity,
                capabilities: adapter.capabilities.sorted(),
                harnessCapabilities: adapter.harnessCapabilities.sorted()
            )
    }
}

/// The harness's capabilities and the process are encoded only if there are any.
extension AdapterDescription: Codable {
    private enum CodingKeys: String, CodingKey { case name, identity, capabilities, harnessCapabilities, process }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try container.decode(String.self, forKey: .name),
            identity: try container.decode(AdapterIdentity.self, forKey: .identity),
            capabilities: try container.decode([CapabilityTag].self, forKey: .capabilities),
            harnessCapabilities: try container.decodeIfPresent([HarnessCapability].self, forKey: .harnessCapabilities)
                ?? []
        )
        process = try container.decodeIfPresent(AdapterProcess.self, forKey: .process)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(identity, forKey: .identity)
        try container.encode(capabilities, forKey: .capabilities)
        if !harnessCapabilities.isEmpty { try container.encode(harnessCapabilities, forKey: .harnessCapabilities) }
        try container.encodeIfPresent(process, forKey: .process)
    }
}
