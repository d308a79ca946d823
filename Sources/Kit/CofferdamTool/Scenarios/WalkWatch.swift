import Cofferdam
import CofferdamUpgrade

/// Hears of every routed call of a walk: for the gate's evidence, and for the latencies to be shown.
final class WalkWatch: RouteObserver {
    let recorder: EvidenceRecorder
    private let state = Mutex(State())

    private struct State {
        var durations: [Side: [Duration]] = [:]
        var batch: [Side: FailureCounts] = [:]
    }

    init(recorder: EvidenceRecorder) { self.recorder = recorder }

    func called(_ call: RoutedCall) {
        recorder.called(call)
        guard call.role == .first, call.outcome != .cancelled, call.outcome != .refused else { return }
        let isAnswered = call.outcome == .answered
        state.withLock { state in
            if let duration = call.duration { state.durations[call.side, default: []].append(duration) }
            state.batch[call.side, default: .none] =
                state.batch[call.side, default: .none] + FailureCounts(isAnswered ? 0 : 1, of: 1)
        }
    }

    func compared(_ comparison: ShadowComparison) {
        recorder.compared(comparison)
        let shadow: Side = comparison.stage.side == .candidate ? .legacy : .candidate
        guard let duration = comparison.durations[shadow] else { return }
        state.withLock { $0.durations[shadow, default: []].append(duration) }
    }

    /// A new epoch begins.
    func startEpoch() { state.withLock { $0 = State() } }

    /// How a side's first calls went since this was last asked.
    func takeBatch(of side: Side) -> FailureCounts {
        state.withLock { $0.batch.removeValue(forKey: side) ?? .none }
    }

    /// Of this epoch.
    var latencies: [Side: Latency] {
        state.withLock { $0.durations }.compactMapValues(Latency.init)
    }
}

/// How long calls of one side took, in milliseconds.
public struct Latency: Sendable, Hashable, Codable {
    public var calls: Int
    public var median: Double
    /// The 99th percentile, by nearest rank.
    public var p99: Double

    /// Nil of none.
    init?(_ durations: [Duration]) {
        guard !durations.isEmpty else { return nil }
        let sorted = durations.sorted()
        func milliseconds(_ percent: Int) -> Double {
            let rank = max(1, (sorted.count * percent + 99) / 100)
            return ((sorted[rank - 1] / .milliseconds(1)) * 100).rounded() / 100
        }
        calls = sorted.count
        median = milliseconds(50)
        p99 = milliseconds(99)
    }
}
