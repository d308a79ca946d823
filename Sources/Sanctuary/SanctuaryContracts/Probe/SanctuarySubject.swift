import Cofferdam
public import CofferdamContracts  // adapters under test open subjects, and capabilities become tags
public import SanctuaryDomain  // a subject is the domain's six ports

/// One adapter under test: its ports, opened fresh and signed out, and the vendor behind them.
public struct SanctuarySubject: Sendable {
    public var services: SanctuaryServices
    public var probe: any SanctuaryProbe
    /// Of a user whom the vendor knows.
    public var credentials: Credentials
    /// What the port must show for a count that the vendor was told; nil is "not recorded". A vendor that says 0 for both
    /// gives ``Count/ambiguousZero`` for both.
    public var expectedCount: @Sendable (Int?) -> Count
    /// Opens another instance of the adapter beside this one, over the same vendor; nil without `instances`.
    public var openAnother: (@Sendable () async throws -> SanctuarySubject)?
    /// Opens another instance of the adapter, against an address at which no vendor can be talked to. Without `instances`,
    /// this one is closed by that.
    public var openNowhere: @Sendable (DeadAddress) async throws -> SanctuarySubject
    /// Closes the instance, and opens another one over its directory and the same vendor; nil: the stand cannot.
    public var reopen: (@Sendable () async throws -> SanctuarySubject)?
    /// What the adapter holds its deadlines against.
    public var clock: AdjustableClock
    /// Whether it holds any deadline at all: what answers from a tape does not.
    var hasDeadlines = true
    /// How records are seeded of which one is odd.
    var oddSeeds = OddSeeds()
    /// Numbers what must be unique at the vendor behind the subject.
    let numbers = Numbers()
    /// The orders that ``prepareSeeded()`` has added.
    let orders = Known<[OrderID]>()
    /// The message that was sent last for a stream.
    let sentMessage = Known<MessageID>()
    /// How long one call of a port may take, by ``clock``.
    public var deadline: Duration
    /// Ends the vendor, when the case is over and the services are closed.
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

    /// The same numbers each time that the same is done with a subject.
    final class Numbers: Sendable {
        private let last = Mutex(0)

        func next() -> Int {
            last.withLock { last in
                last += 1
                return last
            }
        }
    }

    /// Signs in with the credentials that the vendor knows.
    ///
    /// Once more if the vendor is not reached: where a rule has cut connections before, the SDK may learn only now that one
    /// of those it keeps is gone.
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
    /// As rules require it.
    public var tag: CapabilityTag { CapabilityTag(rawValue: rawValue) }
}

extension AdapterUnderTest<SanctuarySubject> {
    /// An adapter of the six ports; each case's services are closed after it.
    ///
    /// - Parameter harnessCapabilities: what its probe can do and others' cannot.
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
            // Of a subject, unless its adapter has another one.
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
