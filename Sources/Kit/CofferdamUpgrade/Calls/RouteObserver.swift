public import Cofferdam  // operations, sides and differences

/// A side was opened, or could not be.
public struct SideOpening: Sendable, Hashable {
    public var side: Side
    /// Whether it was opened to be compared, on a copy.
    public var isShadow: Bool
    public var isFailed: Bool
    public var duration: Duration
}

/// Hears how routed calls went. Called where the call is made, so it must be quick, and holds up nobody.
public protocol RouteObserver: Sendable {
    /// Each try of a call. Of calls that just went to the one side that answers all it is told of each session's first ones, of the
    /// first one of each operation, and of all that failed or got an answer that is an error; one that is compared is told as
    /// that. A call whose caller gives up is told at once, however long the side still takes.
    func called(_ call: RoutedCall)
    /// Each call that was sampled to be compared.
    func compared(_ comparison: ShadowComparison)
    /// From the next call on fewer are compared. Not told unless a ``SampleGuard`` watches.
    func sampleHalved(_ halving: SampleHalving)
    /// A side was opened, which is no part of any call's time: see ``Router``.
    func opened(_ opening: SideOpening)
}

extension RouteObserver {
    public func sampleHalved(_ halving: SampleHalving) {}
    public func opened(_ opening: SideOpening) {}
}

/// A sample was halved, because the shadow was felt.
public struct SampleHalving: Sendable, Hashable {
    public var capability: String
    public var stage: Stage
    public var epoch: Int
    public var from: Share
    public var to: Share
    /// The sampled units that were refused or slow, of all that were.
    public var affected: FailureCounts
}
