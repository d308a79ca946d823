#if Staged
import Cofferdam
import CofferdamUpgrade
import MenagerieV1Adapter
import MenagerieV2Adapter
import SanctuaryDomain
import SanctuaryRouting

/// Both SDKs on one state directory, and the unit that is routed between them.
///
/// The unit is the signed-in user, or the installation while there is none. A unit lasts from opening or signing in
/// to signing out or closing, and stays on one side that long: all six ports move together, with the session.
///
/// V2's tokens have one owner, shared by all instances of V2. The shadow works on a copy; the instance that answers
/// takes over what V1 left in the directory, and what it cannot take over is first reported as issues. Unsent
/// messages move with the unit: see ``SendingTurns``.
final class StagedSanctuary: Sendable {
    private let configuration: SDKConfiguration
    private let staged: StagedUpgrade
    private let capabilities: Set<Capability>
    private let unit: InstallationUnit
    private let credentials: MenagerieV2Credentials
    private let sides: StagedSides
    /// The session that new calls belong to.
    private let current: CurrentSession
    private let routed: SanctuaryServices
    /// Serialises the beginning and ending of sessions.
    private let turnstile = AsyncMutex()

    /// - Parameters:
    ///   - place: nil for a fixed stage.
    ///   - stage: the fixed stage.
    init(at url: String, _ configuration: SDKConfiguration, _ place: UpgradePlace?, _ stage: Stage) async throws {
        self.configuration = configuration
        unit = InstallationUnit(directory: configuration.stateDirectory)
        credentials = MenagerieV2Credentials(directory: configuration.stateDirectory)
        capabilities = StagedSides.capabilities(at: place == nil ? stage : nil)
        sides = StagedSides(at: url, configuration, credentials, unit)
        staged = try await StagedUpgrade(place, stage, sides, configuration.issues)
        let unit = await Self.unit(of: credentials, unit, configuration.issues)
        let current = CurrentSession(staged.upgrade.session(for: unit))
        self.current = current
        sides.session = current.session
        routed = routedServices(
            staged.upgrade.router,
            following: { current.session },
            capabilities: capabilities,
            staged.routes
        )
    }

    /// Opens the answering side and returns the routed services.
    func services() async throws -> SanctuaryServices {
        staged.begin()
        do {
            try await turnstile.run {
                let session = current.session
                await prepare(for: session)
                try await staged.upgrade.open(for: session)
                unit.side = session.side
            }
        } catch {
            // It may have opened nevertheless, if only this task was cancelled.
            await staged.end { [routed] in await routed.close() }
            throw error
        }
        var services = routed
        services.backing = "Menagerie V1 and V2, at \(staged.upgrade.control.state.stage())"
        services.accounts = StagedAccounts(sanctuary: self)
        services.close = { [self] in
            await staged.end(of: current.session) { [routed] in await routed.close() }
        }
        return services
    }

    // MARK: Sessions

    func state() async throws -> AccountState { try await routed.accounts.state() }

    /// Signs in on the new unit's side, regardless of the old unit's.
    func signIn(_ given: Credentials) async throws -> Account {
        try await turnstile.run {
            let old = current.session
            let next = staged.upgrade.session(for: given.user)
            let services = routedServices(
                staged.upgrade.router,
                for: next,
                capabilities: capabilities,
                staged.routes
            )
            await prepare(for: next)
            let account: Account
            do {
                account = try await services.accounts.signIn(given)
            } catch {
                await prepare(for: old)
                unit.side = old.side
                throw error
            }
            await forget(unless: account.id, besides: next.side)
            begin(next)
            return account
        }
    }

    /// Signs out on both sides. Afterwards the unit is the installation.
    func signOut() async throws {
        try await turnstile.run {
            let side = current.session.side
            try await routed.accounts.signOut()
            await forget(unless: nil, besides: side)
            let unit = await Self.unit(of: credentials, unit, configuration.issues)
            begin(staged.upgrade.session(for: unit))
        }
    }

    private func begin(_ session: UnitSession) {
        staged.sessionEnded(of: current.replace(by: session))
        sides.session = session
        unit.side = session.side
    }

    /// Prepares the side that is about to answer. If that is V1 again, V2's remaining state that V1 will not take
    /// over is first reported.
    private func prepare(for session: UnitSession) async {
        sides.session = session
        guard session.side == .legacy, unit.side == .candidate else { return }
        let remainder = await menagerieV2Remainder(in: configuration.stateDirectory)
        configuration.issues.report(remainder, of: "back to V1")
    }

    /// Tells the other side which user is signed in now, if any, so that it does not answer as another user.
    private func forget(unless user: String?, besides side: Side) async {
        do {
            switch side {
            case .legacy: try await credentials.reload(for: user)
            case .candidate: try await sides.signOutV1(unless: user)
            }
        } catch {
            let issue = TranslationIssue("the other SDK: \(error)", at: "session", raw: "", severity: .warning)
            configuration.issues.report([issue], of: "session")
        }
    }

    /// Returns the stored session's user, or else the installation. Nil, and so V1's side, if neither can be read.
    private static func unit(
        of credentials: MenagerieV2Credentials,
        _ unit: InstallationUnit,
        _ issues: IssueSink
    ) async -> String? {
        do {
            if let user = try await credentials.storedUser() { return user }
            return try unit.id()
        } catch {
            let issue = TranslationIssue("the unit is not known: \(error)", at: "unit", raw: "", severity: .warning)
            issues.report([issue], of: "open")
            return nil
        }
    }
}

/// The current session.
private final class CurrentSession: Sendable {
    private let current: Mutex<UnitSession>

    init(_ session: UnitSession) { current = Mutex(session) }

    var session: UnitSession { current.withLock { $0 } }

    /// - Returns: the previous session.
    func replace(by session: UnitSession) -> UnitSession {
        current.withLock { current in
            defer { current = session }
            return current
        }
    }
}
#endif
