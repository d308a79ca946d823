public import CofferdamUpgrade  // what routes have in common are the kit's values
import SanctuaryDomain

/// The settings that all routes of one app share, and those of each capability.
public struct SanctuaryRoutes: Sendable {
    /// Where all capabilities' calls are compared: one bounded queue, so that the shadow takes no more when more is routed.
    public var shadowQueue: ShadowQueue
    /// How long a call may take in the shadow.
    public var shadowDeadline: Duration
    public var observer: (any RouteObserver)?
    /// What is known to differ; see ``expectedDifferences``.
    public var expectations: [RoutedCapability: Expectations]
    /// The breakers; see ``breakers(_:clock:)``.
    public var breakers: [RoutedCapability: Breakers]
    /// Logs the calls of the candidate in flight; nil for no log.
    public var calls: (any CandidateCallLog)?
    public var clock: any Clock<Duration>
    public var executor: (any TaskExecutor)?

    public init(
        shadowQueue: ShadowQueue = ShadowQueue(),
        shadowDeadline: Duration = .seconds(10),
        observer: (any RouteObserver)? = nil,
        expectations: [RoutedCapability: Expectations] = expectedDifferences.mapValues { Expectations($0) },
        breakers: [RoutedCapability: Breakers] = [:],
        calls: (any CandidateCallLog)? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        executor: (any TaskExecutor)? = nil
    ) {
        self.shadowQueue = shadowQueue
        self.shadowDeadline = shadowDeadline
        self.observer = observer
        self.expectations = expectations
        self.breakers = breakers
        self.calls = calls
        self.clock = clock
        self.executor = executor
    }

    /// The routes of an app in which one recorder counts for all capabilities: what a route of it is given, each of them has.
    /// What is particular to a capability stays its own.
    public init(_ settings: RouteSettings) {
        self.init(
            shadowQueue: settings.shadowQueue,
            shadowDeadline: settings.shadowDeadline,
            observer: settings.observer,
            breakers: settings.breakers.map(Self.sharing) ?? [:],
            calls: settings.calls,
            clock: settings.clock,
            executor: settings.executor
        )
    }

    /// One's breakers for all capabilities of which the other side may answer: the names of their operations differ.
    public static func sharing(_ breakers: Breakers) -> [RoutedCapability: Breakers] {
        let capabilities = RoutedCapability.allCases.filter { !$0.isExclusive }
        return Dictionary(uniqueKeysWithValues: capabilities.map { ($0, breakers) })
    }

    /// Breakers for each capability of which the other side may answer; an ``EvidenceRecorder`` of it is given the same.
    ///
    /// - Throws: ``BreakerError`` with `invalidSetting`.
    public static func breakers(
        _ settings: BreakerSettings = .defaults,
        clock: some Clock<Duration> = ContinuousClock()
    ) throws(BreakerError) -> [RoutedCapability: Breakers] {
        var breakers: [RoutedCapability: Breakers] = [:]
        for capability in RoutedCapability.allCases where !capability.isExclusive {
            breakers[capability] = try Breakers(settings, clock: clock)
        }
        return breakers
    }

    /// Both SDKs see one backend, whatever the capability; what is a user's is answered by the other side only where that user
    /// is signed in there as well.
    func settings(
        of capability: RoutedCapability,
        isSameUser: @escaping @Sendable () async -> Bool
    ) -> RouteSettings {
        RouteSettings(
            capability: capability.rawValue,
            dataOwnership: .shared,
            failures: capability == .messages ? .sanctuaryMessages : .sanctuary,
            isSameUser: isSameUser,
            shadowQueue: shadowQueue,
            shadowDeadline: shadowDeadline,
            expectations: expectations[capability, default: .none],
            breakers: breakers[capability],
            calls: calls,
            observer: observer,
            clock: clock,
            executor: executor
        )
    }
}

/// The six ports, as evidence names them.
public enum RoutedCapability: String, Sendable, Hashable, CaseIterable, Codable {
    case catalogue, photos, accessories, orders, messages, accounts

    /// Whether one side has it, and no other is ever asked.
    var isExclusive: Bool { self == .accessories || self == .accounts }
}
