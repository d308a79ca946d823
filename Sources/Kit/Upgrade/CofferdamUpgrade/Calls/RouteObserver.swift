public import Cofferdam  // operations, sides and differences

/// An attempt to open a side.
public struct SideOpening: Sendable, Hashable {
    /// The side.
    public var side: Side
    /// Whether it was opened for comparison, on a copy of the state.
    public var isShadow: Bool
    /// Whether opening failed.
    public var isFailed: Bool
    /// How long it took.
    public var duration: Duration
}

/// A call that a side is being asked for, and that ``RouteObserver/called(_:)`` reports when it ends.
public struct CallInFlight: Sendable, Hashable {
    /// The same as that of the ``RoutedCall``, and of no other call of this process.
    package var number: UInt64
    /// The name of the operation.
    public var operation: String
    /// The stage.
    public var stage: Stage
    /// The epoch.
    package var epoch: Int
    /// The hour since 1970 in which the call counts for the alarm; 0 for none.
    package var hour: Int64
    /// The unit; nil if there is none.
    public var unit: String?
    /// Identifies the unit in the evidence, or its session if there is none.
    package var key: UInt64
    /// Whether the unit's session chose its side in this epoch.
    package var hasEntered: Bool
    /// Whether the unit is named.
    package var isNamed: Bool
    /// The side that is asked.
    public var side: Side

    package init(
        number: UInt64,
        operation: String,
        stage: Stage,
        epoch: Int,
        hour: Int64 = 0,
        unit: String?,
        key: UInt64,
        hasEntered: Bool = true,
        isNamed: Bool = false,
        side: Side
    ) {
        (self.number, self.operation, self.stage, self.epoch, self.hour) = (number, operation, stage, epoch, hour)
        (self.unit, self.key) = (unit, key)
        (self.hasEntered, self.isNamed, self.side) = (hasEntered, isNamed, side)
    }
}

/// Observes routed calls. The methods run on the path of the call, so they must be quick.
public protocol RouteObserver: Sendable {
    /// Called for each attempt of a call that may fall back. Of other calls, only the first calls of a session, the
    /// first call of each operation, and every failure or error that is an answer are reported; a compared call is
    /// reported by ``compared(_:)``. A timed call whose caller gives up is reported at once, however long the side still
    /// takes.
    func called(_ call: RoutedCall)
    /// Called when a side is asked for the first time for a call that ``called(_:)`` will report: timed ones, and those
    /// that may fall back.
    func began(_ call: CallInFlight)
    /// Called for each sampled call.
    func compared(_ comparison: ShadowComparison)
    /// Called when a ``SampleGuard`` has halved the sample.
    func sampleHalved(_ halving: SampleHalving)
    /// Called for each attempt to open a side. Opening is not part of the time of any call: see ``Router``.
    func opened(_ opening: SideOpening)
}

extension RouteObserver {
    /// Does nothing by default.
    public func began(_ call: CallInFlight) {}
    /// Does nothing by default.
    public func sampleHalved(_ halving: SampleHalving) {}
    /// Does nothing by default.
    public func opened(_ opening: SideOpening) {}
}

/// A sample that was halved because the shadow affected callers.
public struct SampleHalving: Sendable, Hashable {
    /// The name of the capability.
    public var capability: String
    /// The stage.
    public var stage: Stage
    /// The epoch.
    var epoch: Int
    /// The share before.
    public var from: Share
    /// The share now.
    public var to: Share
    /// The affected units in the sample, of all affected units.
    public var affected: FailureCounts
}
