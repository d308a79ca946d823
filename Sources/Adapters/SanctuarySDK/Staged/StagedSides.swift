#if Staged
import Cofferdam
import CofferdamUpgrade
import MenagerieV1Adapter
import MenagerieV2Adapter
import SanctuaryDomain

/// The two SDKs on one directory, which the upgrade opens when they are first needed, one after the other.
final class StagedSides: Sendable {
    private let url: String
    private let configuration: SDKConfiguration
    private let credentials: MenagerieV2Credentials
    private let unit: InstallationUnit
    private let state = StateBox()
    private let turns = SendingTurns()
    /// V2 briefly hides V1's session while it opens.
    private let openingMutex = AsyncMutex()

    /// - Parameter unit: remembers the side that answered last.
    init(
        at url: String,
        _ configuration: SDKConfiguration,
        _ credentials: MenagerieV2Credentials,
        _ unit: InstallationUnit
    ) {
        (self.url, self.configuration, self.credentials, self.unit) = (url, configuration, credentials, unit)
    }

    /// The session whose side answers; the other side is only the fallback.
    var session: UnitSession? {
        get { state.lock.withLock { $0.session } }
        set { state.lock.withLock { $0.session = newValue } }
    }

    func openLegacy() async throws -> SanctuaryServices {
        var legacy = LinkedSDK.configurationV1(at: url, configuration)
        legacy.isSucceeded = { [state] in state.answering == .candidate }
        legacy.beforeSending = { [turns, state] in
            try await turns.begin(on: .legacy, answering: { state.answering }, $0)
        }
        return try await openingMutex.run { [legacy] in
            let services = try await openMenagerieV1(legacy)
            state.lock.withLock { $0.legacy = services }
            return services
        }
    }

    func openCandidate() async throws -> SanctuaryServices {
        try await openingMutex.run {
            // V2 takes over from here on. What it will not take over is reported before.
            if unit.side != .candidate {
                let remainder = menagerieV1Remainder(in: configuration.stateDirectory)
                configuration.issues.report(remainder, of: "over to V2")
                unit.side = .candidate
            }
            return try await openMenagerieV2(candidate)
        }
    }

    func openShadow() async throws -> SanctuaryServices {
        var shadow = candidate
        // The shadow's translation issues appear in the comparison: the app's user did not ask for them.
        shadow.issues = IssueSink { _, _ in }
        return try await openingMutex.run { [shadow] in try await rehearseMenagerieV2(shadow) }
    }

    private var candidate: MenagerieV2Configuration {
        var candidate = LinkedSDK.configurationV2(at: url, configuration, credentials: credentials)
        candidate.beforeSending = { [turns, state] in
            try await turns.begin(on: .candidate, answering: { state.answering }, $0)
        }
        return candidate
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
        let lock = Mutex<(session: UnitSession?, legacy: SanctuaryServices?)>((nil, nil))
        /// Nothing is open before the first session.
        var answering: Side { lock.withLock { $0.session }?.side ?? .legacy }
    }
}
#endif
