public import Cofferdam  // issues go to its sink
public import CofferdamContracts  // its clock can be adjusted
public import SanctuaryContracts  // it is an adapter under test, with a probe
public import SanctuaryDomain  // it provides the domain's six ports

/// A sanctuary in memory: all six ports, held to the same contract as every SDK's adapter.
///
/// For previews, demonstrations and tests of the app: use ``services`` as the ports, and ``probe`` to set up data,
/// inject faults and inspect calls. The fake checks credentials, lets tokens expire and refreshes them, and pages with
/// its own cursors. The users are `amara` (EUR), `kenji` (JPY) and `noor` (KWD), each with the password `sandbox`.
/// Nothing is stored on disk.
public struct FakeSanctuary: Sendable {
    /// The first instance on this world.
    public let services: SanctuaryServices
    /// The vendor's side.
    public let probe: any SanctuaryProbe
    private let world: FakeWorld
    private let device = FakeDevice()
    private let time: FakeTime
    private let executor: (any TaskExecutor)?
    private let issues: IssueSink

    /// - Parameters:
    ///   - baseline: the initial data.
    ///   - now: the vendor's clock. By default it starts at 2026-01-01 and advances by a second at each reading.
    ///   - deadline: the longest time that one call of a port may take, measured by `clock`.
    ///   - issues: receives an issue for each animal of an unknown group, as from an SDK's adapter.
    ///   - executor: runs work that belongs to no single call, such as streams and the shared refresh.
    public init(
        _ baseline: SanctuaryBaseline = .seeded,
        now: (@Sendable () -> Instant)? = nil,
        deadline: Duration = .seconds(30),
        clock: AdjustableClock = AdjustableClock(),
        issues: IssueSink = IssueSink { _, _ in },
        executor: (any TaskExecutor)? = nil
    ) {
        let world = FakeWorld(baseline, now: now ?? FakeClock().now, issues: issues)
        self.world = world
        self.executor = executor
        self.issues = world.issues
        time = FakeTime(deadline: deadline, clock: clock)
        probe = FakeProbe(world: world)
        services = Self.services(of: world, time: time, executor: executor, device: device, issues: self.issues)
    }

    /// The fake's capabilities, all of which some SDK has.
    public static let capabilities: Set<Capability> = [
        .sessionRefresh, .vendorCursors, .instances, .mixedCurrencies, .idempotencyKeys, .nicknames, .conditionalGet,
        .groupFilter, .progress,
    ]

    /// Opens another instance on the same world: signed out, and independent of the others.
    public func openServices() -> SanctuaryServices {
        Self.services(of: world, time: time, executor: executor, issues: issues)
    }

    /// The fake as an adapter under test.
    public var subject: SanctuarySubject { subject(services, device, at: nil) }

    /// - Parameter address: the unreachable address at which the services look for the world; nil if they find it.
    private func subject(
        _ services: SanctuaryServices,
        _ device: FakeDevice,
        at address: DeadAddress?
    ) -> SanctuarySubject {
        var subject = SanctuarySubject(
            services: services,
            probe: probe,
            credentials: Credentials(user: "amara", password: FakeUser.password),
            expectedCount: { $0.map { .known($0) } ?? .unknown },
            openAnother: { opened(on: FakeDevice(), at: nil) },
            openNowhere: { address in opened(on: FakeDevice(), at: address) },
            clock: time.clock,
            deadline: time.deadline
        )
        let reopened: @Sendable (DeadAddress?) async -> SanctuarySubject = { address in
            await services.close()
            return opened(on: device, at: address)
        }
        subject.reopen = { await reopened(address) }
        subject.reach = { await reopened($0 ? nil : .refused) }
        return subject
    }

    private func opened(on device: FakeDevice, at address: DeadAddress?) -> SanctuarySubject {
        subject(
            Self.services(
                of: world,
                time: time,
                executor: executor,
                instance: FakeInstance(at: address),
                device: device,
                issues: issues
            ),
            device,
            at: address
        )
    }

    private static func services(
        of world: FakeWorld,
        time: FakeTime,
        executor: (any TaskExecutor)?,
        instance: FakeInstance = FakeInstance(),
        device: FakeDevice = FakeDevice(),
        issues: IssueSink
    ) -> SanctuaryServices {
        let session = FakeSession(
            world: world,
            instance: instance,
            time: time,
            executor: executor,
            device: device,
            issues: issues
        )
        return SanctuaryServices(
            backing: "Fake",
            capabilities: capabilities,
            catalogue: FakeCatalogue(session: session),
            photos: FakePhotos(session: session),
            accessories: FakeAccessories(session: session),
            orders: FakeOrders(session: session),
            messages: FakeMessages(session: session),
            accounts: FakeAccounts(session: session),
            close: { session.close() }
        )
    }
}
