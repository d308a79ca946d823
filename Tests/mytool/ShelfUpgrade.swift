// snippet: upgrade
import Cofferdam
import CofferdamUpgrade

extension ErrorClassifier {
    static let shelf = ErrorClassifier(
        meaning: { error in
            switch (error as? ShelfError)?.code {
            case .noSuchBook, .badCursor: .answer
            case .unreachable: .unsent
            case .outcomeUnknown: .outcomeUnknown
            case .failed, nil: .failed
            }
        },
        kind: { ($0 as? ShelfError)?.code.rawValue ?? "other" }
    )
}

func shelfPlan() throws -> UpgradePlan {
    try UpgradePlan(
        [.legacyOnly, .shadow(sample: .all), .canary(share: 500), .candidateWithFallback, .candidateOnly],
        settings: .defaults { $0.limit = 0.01 }  // no more than 1 % of the users may meet a failure
    )
}
// end
