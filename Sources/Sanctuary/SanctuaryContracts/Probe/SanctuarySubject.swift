import Cofferdam
public import CofferdamContracts  // adapters under test open subjects, and capabilities become tags
public import SanctuaryDomain  // a subject holds the domain's six ports

/// One adapter under test: its ports, newly opened and signed out, and the vendor behind them.
public struct SanctuarySubject: Sendable {
    public var services: SanctuaryServices
    public var probe: any SanctuaryProbe
    /// The credentials of a user at the vendor.
    public var credentials: Credentials
    /// Returns the count that the port must show for a count at the vendor; nil is "not recorded". If the vendor sends
    /// 0 for both, it is ``Count/ambiguousZero`` for both.
    public var expectedCount: @Sendable (Int?) -> Count
    /// Opens another instance of the adapter beside this one, over the same vendor; nil without `instances`.
    public var openAnother: (@Sendable () async throws -> SanctuarySubject)?
    /// Opens another instance of the adapter with an address at which no vendor answers. Without `instances`, this
    /// closes the current one.
    public var openNowhere: @Sendable (DeadAddress) async throws -> SanctuarySubject
    /// Closes the instance, and opens another one with the same directory and vendor; nil if the harness cannot.
    public var reopen: (@Sendable () async throws -> SanctuarySubject)?
    /// Makes the vendor unreachable or reachable, and returns the instance to go on with, which may be another one with
    /// the same directory; nil if the harness cannot.
    public var reach: (@Sendable (_ isReachable: Bool) async throws -> SanctuarySubject)?
    /// The clock with which the adapter measures its deadlines.
    public var clock: AdjustableClock
    /// Whether the adapter has deadlines; one that replays a tape has none.
    var hasDeadlines = true
    /// Seeds records of which one is odd.
    var oddSeeds = OddSeeds()
    /// Numbers for names that must be unique at the subject's vendor.
    let numbers = Numbers()
    /// The orders that ``prepareSeeded()`` has added.
    let orders = Known<[OrderID]>()
    /// The message that was last sent for a stream.
    let sentMessage = Known<MessageID>()
    /// The deadline of one call of a port, measured by ``clock``.
    public var deadline: Duration
    /// Stops the vendor, after the case has ended and the services are closed.
    public var end: @Sendable () async -> Void

    public init(
        services: SanctuaryServices,
        probe: any SanctuaryProbe,
        credentials: Credentials,
        expectedCount: @escaping @Sendable (Int?) -> Count,
        openAnother: (@Sendable () async throws -> SanctuarySubject)? = nil,
        openNowhere: @escaping @Sendable (DeadAddress) async throws -> SanctuarySubject,
        clock: AdjustableClock = AdjustableClock(),
        deadline: Duration = .seconds(30),
        end: @escaping @Sendable () async -> Void = {}
    ) {
        self.services = services
        self.probe = probe
        self.credentials = credentials
        self.expectedCount = expectedCount
        self.openAnother = openAnother
        self.openNowhere = openNowhere
        self.clock = clock
        self.deadline = deadline
        self.end = end
    }

    final class Known<ID: Sendable>: Sendable {
        private let known = Mutex<ID?>(nil)

        var id: ID? {
            get { known.withLock { $0 } }
            set { known.withLock { $0 = newValue } }
        }
    }

    /// A counter that gives the same numbers for the same steps with a subject.
    final class Numbers: Sendable {
        private let last = Mutex(0)

        func next() -> Int {
            last.withLock { last in
                last += 1
                return last
            }
        }
    }

    /// Signs in with the subject's credentials.
    ///
    /// Tries once more if the vendor is unreachable: after a rule has cut connections, the SDK may only now notice that
    /// a reused one is closed.
    @discardableResult
    func signIn() async throws -> Account {
        do {
            return try await services.accounts.signIn(credentials)
        } catch let error as SanctuaryError where error.code == .unreachable {
            return try await services.accounts.signIn(credentials)
        }
    }
}

extension Capability {
    /// The tag with which rules require the capability.
    public var tag: CapabilityTag { CapabilityTag(rawValue: rawValue) }
}

extension AdapterUnderTest<SanctuarySubject> {
    /// An adapter of the six ports. The services are closed after each case.
    ///
    /// - Parameter harnessCapabilities: the probe's capabilities beyond those of every probe.
    public static func sanctuary(
        name: String,
        capabilities: Set<Capability>,
        harnessCapabilities: Set<HarnessCapability> = [],
        identity: AdapterIdentity = AdapterIdentity(),
        open: @escaping @Sendable () async throws -> SanctuarySubject
    ) -> AdapterUnderTest<SanctuarySubject> {
        AdapterUnderTest(
            name: name,
            capabilities: Set(capabilities.map(\.tag) + [.http]),
            harnessCapabilities: harnessCapabilities,
            // The default deadline of a subject.
            deadline: .seconds(30),
            identity: identity,
            open: open,
            close: { subject in
                await subject.services.close()
                await subject.end()
            }
        )
    }
}
