public import CofferdamUpgrade  // the routes' settings are the kit's values
import SanctuaryDomain

/// The settings of an app's routes: those that all routes share, and those of each capability.
public struct SanctuaryRoutes: Sendable {
    /// Compares the calls of all capabilities: one bounded queue, so that shadow work does not grow with the number of
    /// routes.
    public var shadowQueue: ShadowQueue
    /// The deadline of a call in the shadow.
    public var shadowDeadline: Duration
    public var observer: (any RouteObserver)?
    /// The known differences; see ``expectedDifferences``.
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

    /// Creates the routes of an app that uses one recorder for all capabilities. Each route gets these settings,
    /// besides those of its capability.
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

    /// Returns the same breakers for each capability that the other side may answer. The names of their operations do
    /// not collide.
    public static func sharing(_ breakers: Breakers) -> [RoutedCapability: Breakers] {
        let capabilities = RoutedCapability.allCases.filter { !$0.isExclusive }
        return Dictionary(uniqueKeysWithValues: capabilities.map { ($0, breakers) })
    }

    /// Creates breakers for each capability that the other side may answer. Give the capability's ``EvidenceRecorder``
    /// the same ones.
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

    /// Returns the settings of a capability's route. Both SDKs use one backend. Calls that belong to a user fall back
    /// to the other side only if the same user is signed in there.
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

/// The six ports, by their names in the evidence.
public enum RoutedCapability: String, Sendable, Hashable, CaseIterable, Codable {
    case catalogue, photos, accessories, orders, messages, accounts

    /// Whether one side owns the capability and the other is never called.
    var isExclusive: Bool { self == .accessories || self == .accounts }
}
