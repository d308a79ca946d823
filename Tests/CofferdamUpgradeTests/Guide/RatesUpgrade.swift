import Cofferdam
import CofferdamUpgrade

// snippet: failures
extension ErrorClassifier {
    static let rates = ErrorClassifier(
        meaning: { $0 as? RatesError == .unknownCurrency ? .answer : .failed },
        kind: { ($0 as? RatesError).map { "\($0)" } ?? "other" }
    )
}
// end

// snippet: plan
func ratesPlan() throws -> UpgradePlan {
    try UpgradePlan(
        [.legacyOnly, .shadow(sample: .all), .canary(share: 500), .candidateWithFallback, .candidateOnly],
        settings: .defaults {
            $0.limit = 0.01  // no more than 1 % of the users may meet a failure
            $0.minimumBaselineCalls = 1_000
        }
    )
}
// end

// snippet: upgrade
struct RatesUpgrade {
    let engine: UpgradeEngine
    let settings: RouteSettings
    private let plan: UpgradePlan
    private let store: any UpgradeStore
    private let recorder: EvidenceRecorder
    private let router: Router<any Rates>
    private let control = StageControl()
    private let bucketing: Bucketing

    init(
        v1: OldBank,
        v2: NewBank,
        store: any UpgradeStore,
        evidence: any EvidenceLedger,
        clock: any Clock<Duration> = ContinuousClock()
    ) throws {
        plan = try ratesPlan()
        self.store = store
        let breakers = try Breakers()
        recorder = EvidenceRecorder(
            minimumBaselineCalls: plan.settings.minimumBaselineCalls,
            breakers: breakers,
            clock: clock
        )
        settings = RouteSettings(
            capability: "rates",
            failures: .rates,
            breakers: breakers,
            observer: recorder,
            clock: clock
        )
        router = Router(legacy: { V1Rates(bank: v1) }, candidate: { V2Rates(bank: v2) })
        bucketing = try Bucketing(salt: "rates")
        engine = UpgradeEngine("rates", plan: plan, store: store, control: control, recorder: recorder) {
            $0.settings.promotesAutomatically = true
            $0.ledger = evidence
            $0.clock = clock
        }
    }

    /// The port, for one user.
    func rates(for user: String) -> any Rates {
        let session = UnitSession(unit: user, control: control, bucketing: bucketing)
        return Intercepted(source: router.route(for: session, settings: settings) { $0 })
    }
}
// end

// snippet: advance
extension RatesUpgrade {
    /// Takes the next step, for which a person answers.
    func advance(by person: String, reason: String) async throws {
        let request = UpgradeRequest(
            .advance(),
            by: person,
            reason: reason,
            at: WallTime.now(),
            id: UpgradeEngine.randomID(),
            baseline: recorder.baseline
        )
        _ = try await store.carryOut(request, for: "rates", plan: plan)
        await engine.refresh()
    }
}
// end
