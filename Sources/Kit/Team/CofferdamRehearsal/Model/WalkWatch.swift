import Cofferdam
import CofferdamUpgrade

/// Observes every routed call of a walk, for the gate's evidence and the reported latencies.
final class WalkWatch: RouteObserver {
    let recorder: EvidenceRecorder
    private let process: RehearsedProcess
    private let state = Mutex(State())

    private struct State {
        var durations: [Side: [Duration]] = [:]
        var batch: [Side: FailureCounts] = [:]
        var counts = VisitCounts()
    }

    init(of process: RehearsedProcess, recorder: EvidenceRecorder) {
        (self.process, self.recorder) = (process, recorder)
    }

    func began(_ call: CallInFlight) { if !process.hasEnded { recorder.began(call) } }

    /// A process that has crashed reports nothing.
    func called(_ call: RoutedCall) {
        if process.hasEnded { return }
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
        if process.hasEnded { return }
        recorder.compared(comparison)
        let shadow: Side = comparison.stage.side == .candidate ? .legacy : .candidate
        guard let duration = comparison.durations[shadow] else { return }
        state.withLock { $0.durations[shadow, default: []].append(duration) }
    }

    func opened(_ opening: SideOpening) { recorder.opened(opening) }

    /// Records that a visit and its session have ended.
    func ended(_ visit: Visit, _ counts: VisitCounts) {
        recorder.sessionEnded(of: visit.unit)
        state.withLock { $0.counts += counts }
    }

    /// The completed visits of this epoch.
    var counts: VisitCounts { state.withLock { $0.counts } }

    /// The number of a side's calls that were timed in this epoch.
    func timed(_ side: Side) -> Int { state.withLock { $0.durations[side]?.count ?? 0 } }

    /// Starts a new epoch.
    func startEpoch() { state.withLock { $0 = State() } }

    /// The outcomes of a side's calls since the last call of this method.
    func takeBatch(of side: Side) -> FailureCounts {
        state.withLock { $0.batch.removeValue(forKey: side) ?? .none }
    }

    /// The latencies of this epoch.
    var latencies: [Side: Latency] {
        state.withLock { $0.durations }.compactMapValues(Latency.init)
    }
}

/// The numbers of visits and operations.
package struct VisitCounts: Sendable, Hashable, Codable {
    /// All visits, including repeated ones of the same user.
    var visits = 0
    /// Visits of units that had been here before in the same epoch.
    package var returning = 0
    /// Visits whose users gave up.
    var givenUp = 0
    /// All operations of these visits.
    var operations = 0

    /// The number of distinct units.
    package var units: Int { visits - returning }

    static func += (counts: inout VisitCounts, other: VisitCounts) {
        counts.visits += other.visits
        counts.returning += other.returning
        counts.givenUp += other.givenUp
        counts.operations += other.operations
    }
}

/// The latency of one side's calls, in milliseconds.
package struct Latency: Sendable, Hashable, Codable {
    var calls: Int
    var median: Double
    /// The 99th percentile, by nearest rank.
    package var p99: Double

    /// Nil if there are no calls.
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
