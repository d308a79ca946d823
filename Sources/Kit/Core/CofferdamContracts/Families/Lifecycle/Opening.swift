/// How to open more instances of an adapter than the one under test, and how to close them.
public struct Opening<Subject: Sendable>: Sendable {
    let nowhere: PortCall<Subject, DeadAddress, Subject>?
    let close: PortCall<Subject, Void, Void>
    let reopen: PortCall<Subject, Void, Subject>?

    /// Describes how instances open and close.
    ///
    /// - Parameters:
    ///   - nowhere: opens an instance with an address at which there is no vendor. If a process can only have one
    ///     instance, this closes the current one. Nil if the harness cannot; the rules that need it are then not
    ///     judged.
    ///   - close: closes an instance, as the app does.
    ///   - reopen: closes the instance and opens another one on the data it has kept on the device, as a relaunch of
    ///     the app does. Nil if the harness cannot; the rules of a relaunch are then not judged.
    public init(
        nowhere: PortCall<Subject, DeadAddress, Subject>? = nil,
        close: PortCall<Subject, Void, Void>,
        reopen: PortCall<Subject, Void, Subject>? = nil
    ) {
        self.nowhere = nowhere
        self.close = close
        self.reopen = reopen
    }

    /// What the rules that use ``nowhere`` require of the harness: nothing if it is given, otherwise a capability that
    /// the harness lacks.
    var harnessCapabilities: Set<HarnessCapability> { nowhere == nil ? ["deadAddresses"] : [] }
    /// The same for ``reopen``.
    var relaunchHarnessCapabilities: Set<HarnessCapability> { reopen == nil ? [.relaunch] : [] }
}

extension HarnessCapability {
    /// Another instance of the adapter can be opened at an address without a vendor.
    public static let deadAddresses: HarnessCapability = "deadAddresses"

    /// An instance can be closed, and another one opened on what it has kept on the device.
    static let relaunch: HarnessCapability = "relaunch"

    /// An instance can be opened at such an address.
    static func deadAddress(_ address: DeadAddress) -> HarnessCapability {
        HarnessCapability(rawValue: "deadAddresses.\(address)")
    }
}

/// An address at which no vendor can be reached.
public enum DeadAddress: String, Sendable, Hashable, CaseIterable {
    /// A host whose name does not exist.
    case noSuchHost
    /// A port where no process listens.
    case refused
    /// TLS is required, and its handshake fails.
    case tlsFailure
}
