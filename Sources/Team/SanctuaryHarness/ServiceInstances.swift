#if Sandbox
import Cofferdam
import CofferdamContracts
import SanctuaryContracts
import SanctuaryDomain

/// Opens one major of the vendor's SDK.
typealias OpenServices =
    @Sendable (
        _ url: String, _ directory: String, _ issues: IssueSink, _ clock: any Clock<Duration>
    ) async throws -> SanctuaryServices

/// The instances of one adapter over one service.
final class ServiceInstances: Sendable {
    private let stand: ServiceStand
    private let major: Major
    private let openServices: OpenServices
    private let state = Mutex((opened: [SanctuaryServices](), hasEnded: false))

    init(
        stand: ServiceStand,
        major: Major,
        open: @escaping OpenServices
    ) {
        self.stand = stand
        self.major = major
        openServices = open
    }

    /// Opens an instance with its own state directory, which is removed when the instance is closed.
    func open(at url: String) async throws -> SanctuarySubject { try await open(at: url, try TemporaryDirectory()) }

    private func open(at url: String, _ directory: TemporaryDirectory) async throws -> SanctuarySubject {
        let (issues, drops, clock) = (IssueRecord(), DroppedEvents(), AdjustableClock())
        var services = try await openServices(url, directory.path, .all(issues.sink, drops.sink), clock)
        let close = services.close
        services.close = {
            await close()
            directory.remove()
        }
        state.withLock { [services] in $0.opened.append(services) }
        var subject = SanctuarySubject(
            services: services,
            probe: ServiceProbe(
                stand: stand,
                major: major,
                issues: issues,
                directory: directory.path,
                drops: drops
            ),
            credentials: Credentials(user: "amara", password: "sandbox"),
            expectedCount: major.count,
            openNowhere: { address in
                throw SanctuaryError(.unsupported, "only from the instance under test", subject: "\(address)")
            },
            clock: clock
        )
        // Closes the instance without removing its directory.
        let reopened: @Sendable (_ url: String) async throws -> SanctuarySubject = { [self] url in
            await close()
            return try await open(at: url, directory)
        }
        subject.reopen = { try await reopened(url) }
        // The proxy's port accepts connections as long as the proxy lives, so the app is launched at another address.
        subject.reach = { [stand] in try await reopened($0 ? stand.url : DeadAddress.refused.url(instead: stand.url)) }
        return subject
    }

    /// Closes all open instances; false if already done.
    func end() async -> Bool {
        let opened = state.withLock { state -> [SanctuaryServices]? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return state.opened
        }
        for services in opened ?? [] { await services.close() }
        return opened != nil
    }
}

extension DeadAddress {
    /// - Parameter url: the vendor's real address, without TLS.
    func url(instead url: String) -> String {
        switch self {
        // A label longer than DNS allows, so that no resolver is asked.
        case .noSuchHost: "http://\(String(repeating: "absent", count: 12)).invalid"
        // A reserved port on which nothing listens.
        case .refused: "http://127.0.0.1:1"
        case .tlsFailure: url.replacing("http://", with: "https://")
        }
    }
}
#endif
