/// How to open more instances of an adapter than the one under test, and to end them.
public struct Opening<Subject: Sendable>: Sendable {
    /// Opens an instance against an address at which no vendor can be talked to. Where there is only one instance in a
    /// process, the one at hand is closed by that. Nil: the stand cannot, and the rules that need it are not judged.
    let nowhere: PortCall<Subject, DeadAddress, Subject>?
    /// Closes an instance, as the app does.
    let close: PortCall<Subject, Void, Void>
    /// Closes the instance, and opens another one over what it has kept on the device, as a relaunch of the app does. Nil: the
    /// stand cannot, and the rules of a relaunch are not judged.
    let reopen: PortCall<Subject, Void, Subject>?

    public init(
        nowhere: PortCall<Subject, DeadAddress, Subject>? = nil,
        close: PortCall<Subject, Void, Void>,
        reopen: PortCall<Subject, Void, Subject>? = nil
    ) {
        self.nowhere = nowhere
        self.close = close
        self.reopen = reopen
    }

    /// What the rules that use ``nowhere`` require of the harness: a harness capability that none has, where there is none.
    var harnessCapabilities: Set<HarnessCapability> { nowhere == nil ? ["deadAddresses"] : [] }
    /// The same of ``reopen``.
    var relaunchHarnessCapabilities: Set<HarnessCapability> { reopen == nil ? ["relaunch"] : [] }
}

extension HarnessCapability {
    /// Another instance of the adapter can be opened where no vendor is.
    public static let deadAddresses: HarnessCapability = "deadAddresses"

    /// An instance can be opened at such an address.
    static func deadAddress(_ address: DeadAddress) -> HarnessCapability {
        HarnessCapability(rawValue: "deadAddresses.\(address)")
    }
}

/// An address at which no vendor can be talked to.
public enum DeadAddress: String, Sendable, Hashable, CaseIterable {
    /// A host whose name does not exist.
    case noSuchHost
    /// A port where no process listens.
    case refused
    /// TLS is asked for, and cannot be agreed on.
    case tlsFailure
}
