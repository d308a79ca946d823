import Cofferdam

/// Halves the sample if the shadow affects callers: if the legacy side refuses or is slow for more sampled units than
/// chance explains.
///
/// Without an effect, an affected unit is a sampled one with the probability of the sample, because a hash of the name
/// chooses the sample. Therefore, the Bayes factor of `SequentialRule.bayesFactor(share:)` may be checked after every
/// unit, and a sample is halved without a reason with a probability of at most α. A unit counts once in a window,
/// sampled or not. If every unit is sampled, there is nothing to compare with.
///
/// It wraps another observer and forwards all events to it.
public final class SampleGuard: RouteObserver {
    private struct Question: Equatable {
        var epoch: Int
        var stage: Stage
        var share: Share
    }

    private struct Counting {
        var question: Question
        var sampled: OpenWindows
        var others: OpenWindows

        /// The affected sampled units, of all affected units.
        var affected: FailureCounts {
            func affected(_ windows: OpenWindows) -> Int {
                windows.counts[.legacy, EvidenceNames.all]?.begun[.failed] ?? 0
            }
            let here = affected(sampled)
            return FailureCounts(here, of: here + affected(others))
        }
    }

    private let control: StageControl
    private let throttled: Set<String>
    private let span: Duration
    private let elapsed: @Sendable () -> Duration
    private let alpha: Double
    private let slowLimit: @Sendable (String) -> Duration?
    private let next: any RouteObserver
    private let counting = Mutex<Counting?>(nil)

    /// - Parameters:
    ///   - control: the control of the observed capability, whose sample is halved.
    ///   - throttled: the kinds of failure, by the ``ErrorClassifier`` of the routes, that mean "too many calls":
    ///     "rateLimited".
    ///   - slowLimit: the slow limit of an operation; nil while unknown. ``EvidenceRecorder/baseline`` knows it.
    ///   - window: how long the calls of a unit count after its first call.
    ///   - clock: ends windows.
    ///   - alpha: the probability of halving a sample without an effect.
    ///   - next: the observer to forward to.
    public init(
        _ control: StageControl,
        throttled: Set<String>,
        slowLimit: @escaping @Sendable (_ operation: String) -> Duration? = { _ in nil },
        window: Duration = EvidenceRecorder.window,
        clock: any Clock<Duration> = ContinuousClock(),
        alpha: Double = 0.01,
        next: any RouteObserver
    ) {
        self.control = control
        self.throttled = throttled
        self.slowLimit = slowLimit
        span = window
        elapsed = Stopwatch(clock).elapsed
        self.alpha = alpha
        self.next = next
    }

    /// Forwards the call, and compares the affected units inside the sample with those outside.
    public func called(_ call: RoutedCall) {
        next.called(call)
        guard let unit = call.unit, let sample = call.sample, call.side == .legacy, call.role == .first,
            call.outcome != .cancelled, call.outcome != .refused
        else { return }
        let question = Question(epoch: call.epoch, stage: call.stage, share: sample.share)
        let (marks, now) = (isAffected(call) ? Marks.failed : .none, elapsed())
        let slot = EvidenceRow.Slot(unit: UnitKey.key(of: unit), tally: .legacy, operation: EvidenceNames.all)
        let significant = counting.withLock { counting -> FailureCounts? in
            if counting?.question != question {
                guard question == current else { return nil }
                let windows = OpenWindows(span: span)
                counting = Counting(question: question, sampled: windows, others: windows)
            }
            if sample.isIn {
                counting?.sampled.record(marks, slot, at: now)
            } else {
                counting?.others.record(marks, slot, at: now)
            }
            let rule = SequentialRule.bayesFactor(share: sample.share.fraction)
            guard let affected = counting?.affected, rule.isPossible, rule.isReached(affected, alpha: alpha) else {
                return nil
            }
            counting = nil
            return affected
        }
        if let significant { halve(call, sample.share, significant) }
    }

    /// Forwards the beginning.
    public func began(_ call: CallInFlight) { next.began(call) }
    /// Forwards the comparison.
    public func compared(_ comparison: ShadowComparison) { next.compared(comparison) }
    /// Forwards the halving.
    public func sampleHalved(_ halving: SampleHalving) { next.sampleHalved(halving) }
    /// Forwards the opening.
    public func opened(_ opening: SideOpening) { next.opened(opening) }

    /// The current question; calls of an earlier decision are not counted.
    private var current: Question? {
        let (state, sampling, _) = control.all
        return sampling.sample(at: state.stage()).map { Question(epoch: state.epoch, stage: state.stage(), share: $0) }
    }

    private func isAffected(_ call: RoutedCall) -> Bool {
        if case .failed(_, let kind) = call.outcome, throttled.contains(kind) { return true }
        guard let duration = call.duration, let limit = slowLimit(call.operation) else { return false }
        return duration > limit
    }

    private func halve(_ call: RoutedCall, _ share: Share, _ affected: FailureCounts) {
        guard let halved = control.halveSample(from: share, at: call.stage) else { return }
        let halving = SampleHalving(
            capability: call.capability,
            stage: call.stage,
            epoch: call.epoch,
            from: share,
            to: halved,
            affected: affected
        )
        next.sampleHalved(halving)
    }
}
