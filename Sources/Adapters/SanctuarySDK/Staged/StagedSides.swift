#if Staged
import Cofferdam
import CofferdamUpgrade
import MenagerieV1Adapter
import MenagerieV2Adapter
import SanctuaryDomain
import SanctuaryRouting

/// The two SDKs on one directory, each opened when it is first needed, one after the other.
final class StagedSides: Sendable {
    private struct State {
        var session: UnitSession
        var legacy: SanctuaryServices?
    }

    private let router: Router<SanctuaryServices>
    private let state: StateBox
    private let routes: SanctuaryRoutes

    /// - Parameters:
    ///   - session: the first session.
    ///   - unit: remembers the side that answered last.
    init(
        at url: String,
        _ configuration: SDKConfiguration,
        _ session: UnitSession,
        _ routes: SanctuaryRoutes,
        _ credentials: MenagerieV2Credentials,
        _ unit: InstallationUnit
    ) {
        let state = StateBox(session)
        self.state = state
        self.routes = routes
        let turns = SendingTurns()
        let answering: @Sendable () -> Side = { state.session.side }
        var legacy = LinkedSDK.configurationV1(at: url, configuration)
        legacy.isSucceeded = { answering() == .candidate }
        legacy.beforeSending = { try await turns.begin(on: .legacy, answering: answering, $0) }
        var candidate = LinkedSDK.configurationV2(at: url, configuration, credentials: credentials)
        candidate.beforeSending = { try await turns.begin(on: .candidate, answering: answering, $0) }
        var rehearsal = candidate
        // The shadow's translation issues appear in the comparison: the app's user did not ask for them.
        rehearsal.issues = IssueSink { _, _ in }
        // V2 briefly hides V1's session while it opens.
        let openingMutex = AsyncMutex()
        router = Router(
            observer: routes.observer,
            legacy: { [legacy] in
                try await openingMutex.run {
                    let services = try await openMenagerieV1(legacy)
                    state.lock.withLock { $0.legacy = services }
                    return services
                }
            },
            candidate: { [candidate] in
                try await openingMutex.run {
                    // V2 takes over from here on. What it will not take over is reported before.
                    if unit.side != .candidate {
                        let remainder = menagerieV1Remainder(in: configuration.stateDirectory)
                        configuration.issues.report(remainder, of: "over to V2")
                        unit.side = .candidate
                    }
                    return try await openMenagerieV2(candidate)
                }
            },
            shadowCandidate: { [rehearsal] in
                try await openingMutex.run { try await rehearseMenagerieV2(rehearsal) }
            }
        )
    }

    /// The session whose side answers; the other side is only the fallback.
    var session: UnitSession {
        get { state.session }
        set { state.lock.withLock { $0.session = newValue } }
    }

    func open(_ session: UnitSession) async throws {
        // No route has requested it, so none records that the candidate is called.
        let calls = session.side == .candidate ? routes.calls : nil
        let call = CandidateCall(session.callKind, isUnitsOnlyCall: session.unit != nil)
        calls?.began(call)
        defer { calls?.ended(call) }
        try await router.open(for: session)
    }

    /// Returns the six ports.
    ///
    /// - Parameter session: read at each call.
    func services(
        following session: @escaping @Sendable () -> UnitSession,
        _ capabilities: Set<Capability>
    ) -> SanctuaryServices {
        routedServices(router, following: session, capabilities: capabilities, routes)
    }

    /// Signs V1 out, unless `user` is signed in there; V2, which answers, keeps its session.
    func signOutV1(unless user: String?) async throws {
        guard let legacy = state.lock.withLock({ $0.legacy }) else { return }
        if let user, case .signedIn(let account) = try await legacy.accounts.state(), account.id == user { return }
        try await legacy.accounts.signOut()
    }

    /// Returns the capabilities at a stage: those of both SDKs, if both may answer.
    ///
    /// - Parameter stage: nil if it may change while the app is open.
    static func capabilities(at stage: Stage?) -> Set<Capability> {
        switch stage {
        case .legacyOnly: .menagerieV1
        case .candidateOnly: .menagerieV2
        case .aa, .shadow, .canary, .arms, .candidateWithFallback, .candidateShadowed, nil:
            Set.menagerieV1.intersection(.menagerieV2)
        }
    }

    private final class StateBox: Sendable {
        let lock: Mutex<State>
        var session: UnitSession { lock.withLock { $0.session } }

        init(_ session: UnitSession) { lock = Mutex(State(session: session)) }
    }
}
#endif
