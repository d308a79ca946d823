#if Fleet
import Cofferdam
public import CofferdamUpgrade  // conforms to RouteObserver
public import CoreMetrics  // takes a MetricsFactory

/// Counts single calls and comparisons by operation, for dashboards. No gate reads these counts.
public final class CallCounters: RouteObserver {
    private let boot: String
    private let factory: any MetricsFactory
    private let counters = Mutex([Labels: Counter]())

    private struct Labels: Hashable {
        var capability: String
        var operation: String
        var stage: Stage
        var epoch: Int
        var verdict: String
    }

    /// - Parameters:
    ///   - factory: by default, the one that the app has bootstrapped.
    ///   - boot: the same as the ``EvidenceExporter``'s.
    public init(factory: any MetricsFactory = MetricsSystem.factory, boot: String) {
        self.factory = factory
        self.boot = boot
    }

    /// Counts the call under its operation, stage, epoch, side and outcome.
    public func called(_ call: RoutedCall) {
        // Calls of named units are counted separately here too.
        let role = call.isNamed && call.role == .first ? "named" : call.role.rawValue
        let verdict = "\(call.side.rawValue).\(role).\(Self.name(of: call.outcome))"
        count(
            Labels(
                capability: call.capability,
                operation: call.operation,
                stage: call.stage,
                epoch: call.epoch,
                verdict: verdict
            )
        )
    }

    /// Counts the comparison under its operation, stage, epoch and outcome.
    public func compared(_ comparison: ShadowComparison) {
        count(
            Labels(
                capability: comparison.capability,
                operation: comparison.operation,
                stage: comparison.stage,
                epoch: comparison.epoch,
                verdict: comparison.outcome.rawValue
            )
        )
    }

    /// Without the kind of the error: a label should have few values.
    private static func name(of outcome: RoutedCall.Outcome) -> String {
        switch outcome {
        case .answered: "answered"
        case .failed: "failed"
        case .notOpened: "notOpened"
        case .cancelled: "cancelled"
        case .refused: "refused"
        }
    }

    private func count(_ labels: Labels) {
        let counter = counters.withLock { counters in
            if let counter = counters[labels] { return counter }
            let dimensions = [
                ("capability", labels.capability), ("operation", labels.operation), ("stage", labels.stage.rawValue),
                ("epoch", String(labels.epoch)), ("boot", boot), ("verdict", labels.verdict),
            ]
            let counter = Counter(label: SeriesNames.calls, dimensions: dimensions, factory: factory)
            counters[labels] = counter
            return counter
        }
        counter.increment()
    }
}
#endif
