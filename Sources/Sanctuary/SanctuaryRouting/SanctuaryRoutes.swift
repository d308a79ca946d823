public import CofferdamUpgrade  // what routes have in common are the kit's values
import SanctuaryDomain

/// What the routes of one app have in common, and what is particular to each capability.
public struct SanctuaryRoutes: Sendable {
    /// Where all capabilities' calls are compared: one bounded lane, so that the shadow takes no more when more is routed.
    public var lane: ShadowLane
    /// How long a call may take in the shadow.
    public var shadowDeadline: Duration
    public var observer: (any RouteObserver)?
    /// What is known to differ; see ``expectedDifferences``.
    public var expecting: [RoutedCapability: [AgreedDifference]]
    public var clock: any Clock<Duration>
    public var executor: (any TaskExecutor)?

    public init(
        lane: ShadowLane = ShadowLane(),
        shadowDeadline: Duration = .seconds(10),
        observer: (any RouteObserver)? = nil,
        expecting: [RoutedCapability: [AgreedDifference]] = expectedDifferences,
        clock: any Clock<Duration> = ContinuousClock(),
        executor: (any TaskExecutor)? = nil
    ) {
        self.lane = lane
        self.shadowDeadline = shadowDeadline
        self.observer = observer
        self.expecting = expecting
        self.clock = clock
        self.executor = executor
    }

    /// Both SDKs see one backend, whatever the capability; what is a user's is answered by the other side only where that user
    /// is signed in there as well.
    func settings(
        of capability: RoutedCapability,
        isSameUser: @escaping @Sendable () async -> Bool
    ) -> RouteSettings {
        RouteSettings(
            capability: capability.rawValue,
            backing: .shared,
            failures: capability == .messages ? .sanctuaryMessages : .sanctuary,
            mayStandIn: capability.isPersonal ? isSameUser : nil,
            lane: lane,
            shadowDeadline: shadowDeadline,
            expecting: expecting[capability, default: []].map(\.difference),
            observer: observer,
            clock: clock,
            executor: executor
        )
    }
}

/// The six ports, as evidence names them.
public enum RoutedCapability: String, Sendable, Hashable, CaseIterable, Codable {
    case catalogue, photos, accessories, orders, messages, accounts

    /// Whether what it answers depends on who is signed in.
    var isPersonal: Bool { self == .orders || self == .messages }
}
