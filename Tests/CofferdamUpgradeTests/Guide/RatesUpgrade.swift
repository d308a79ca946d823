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
func ratesUpgrade(
    v1: OldBank,
    v2: NewBank,
    backend: UpgradeBackend,
    _ change: (inout Upgrade<any Rates>.Options) -> Void = { _ in }
) throws -> Upgrade<any Rates> {
    try Upgrade(
        "rates",
        plan: ratesPlan(),
        backend: backend,
        failures: .rates,
        legacy: { V1Rates(bank: v1) },
        candidate: { V2Rates(bank: v2) },
        change
    )
}
// end
