import Cofferdam
import CofferdamTesting
import CofferdamUpgrade

/// Checks the breakers against the results of the calls: a side that fails every time must get no more calls.
///
/// A call is reported a little later than its breaker learns of it, and not in the same order. So a row of failures
/// proves something only if it is longer than the number of reports that may be on their way. A refusal proves nothing,
/// because its report may come at any time after the side has recovered. `BreakerTests` checks that breakers let calls
/// through again.
final class BreakerWatch: Sendable {
    private struct Row {
        var failures = 0
        var since = Duration.zero
    }

    static let settings = BreakerSettings.defaults { ($0.window, $0.minimumCalls, $0.trials) = (6, 6, 3) }

    /// Advances when the stage changes.
    let clock = TestClock()
    let breakers: Breakers
    /// A longer row of failures is a violation.
    let longest: Int
    private let report: @Sendable (String) -> Void
    private let rows = Mutex<[String: Row]>([:])
    private let counted = Mutex((calls: 0, refusals: 0))

    /// How many calls of the candidate were checked, and how many of them were refused.
    var counts: (calls: Int, refusals: Int) { counted.withLock { $0 } }

    /// - Parameter callers: the number of callers, each with one call at a time.
    init(callers: Int, report: @escaping @Sendable (String) -> Void) throws {
        breakers = try Breakers(Self.settings, clock: clock)
        longest = Self.settings.window + Self.settings.trials + 2 * callers
        self.report = report
    }

    func called(_ call: RoutedCall) {
        guard call.hasOtherSide else { return }
        let line = call.operation
        let now = clock.now.offset
        // While the other side is refused too, the breaker refuses no call.
        let isOtherWell = [.closed, .halfOpen].contains(breakers[.legacy, line].state)
        counted.withLock { counted in
            counted.calls += 1
            if call.outcome == .refused { counted.refusals += 1 }
        }
        rows.withLock { rows in
            var row = rows[line, default: Row()]
            switch call.outcome {
            case .refused, .answered: row.failures = 0
            case .failed, .notOpened:
                if !isOtherWell || now - row.since >= Self.settings.openFor { row.failures = 0 }
                if row.failures == 0 { row.since = now }
                if isOtherWell { row.failures += 1 }
                if row.failures > longest {
                    report("\(line) of the candidate has failed \(row.failures) times in a row, and is called")
                    row.failures = 0
                }
            case .cancelled: break
            }
            rows[line] = row
        }
    }
}

extension RoutedCall {
    /// Whether the candidate is asked and the legacy side can answer instead, on the same data.
    fileprivate var hasOtherSide: Bool {
        guard side == .candidate, role == .first, ["value", "put", "add"].contains(operation) else { return false }
        return switch stage {
        case .canary, .candidateWithFallback: true
        case .legacyOnly, .aa, .shadow, .arms, .candidateShadowed, .candidateOnly: false
        }
    }
}
