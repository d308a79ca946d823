import Cofferdam
import CofferdamUpgrade

/// A record of what users requested and received. The rehearsal keeps it itself, because it trusts neither side.
final class LossLedger: Sendable {
    private struct State {
        var loss = Loss()
        /// How each write ended, by its key.
        var writes: [String: WriteEnd] = [:]
        /// The time during which each write was in progress, by its key.
        var times: [String: ClosedRange<Duration>] = [:]
    }

    private enum WriteEnd {
        case acknowledged, refused, unknown
    }

    private let state = Mutex(State())
    private let failures: ErrorClassifier

    init(failures: ErrorClassifier) { self.failures = failures }

    /// What users have lost by calls so far, without losses that only the service's own record reveals.
    var loss: Loss { state.withLock { $0.loss } }

    /// The time during which each key was being written, since the rehearsal began.
    var published: [String: ClosedRange<Duration>] { state.withLock { $0.times } }

    /// Records a unit's step, with its error if it failed.
    ///
    /// - Parameter time: the time during which it ran.
    func record(
        _ step: VisitStep,
        _ kind: TrafficKind,
        at stage: Stage,
        during time: ClosedRange<Duration>,
        _ error: (any Error)?
    ) {
        let isUnknown = error.map { failures.meaning($0) == .outcomeUnknown } ?? false
        state.withLock { state in
            if kind == .write {
                let isUnknown =
                    isUnknown || error is TimedOut || error is WrongValue || error is AppEnded || error is GivenUp
                state.times[step.key] = time
                state.writes[step.key] = error == nil ? .acknowledged : isUnknown ? .unknown : .refused
            }
            // A user who does not wait loses nothing by the call; the service's record shows what became of a write.
            guard let error, !(error is GivenUp) else { return }
            let loss: Loss.Kind =
                switch error {
                case is WrongValue: .wrong
                case is TimedOut: .hung
                case is AppEnded: kind == .write ? .unknown : .crashed
                default: kind == .write && isUnknown ? .unknown : .failed
                }
            state.loss.add(loss, "\(stage): \(step.unit), \(step.operation): \(error)")
        }
    }

    /// Compares what users were told with what the service recorded.
    ///
    /// - Parameters:
    ///   - record: how often each key is in the service's own record.
    ///   - streams: the losses of streams, by the same record.
    /// - Returns: all losses.
    func settled(by record: [String: Int], _ streams: [(kind: Loss.Kind, what: String)]) -> Loss {
        state.withLock { state in
            var loss = state.loss
            for (key, end) in state.writes.sorted(by: { $0.key < $1.key }) {
                let count = record[key, default: 0]
                if count > 1 { loss.add(.duplicated, "\(key) is there \(count) times") }
                if count == 0, end == .acknowledged { loss.add(.missing, "\(key) was confirmed, but is not there") }
                if count > 0, end == .refused { loss.add(.refusedButDone, "\(key) was refused, but is there") }
            }
            for (kind, what) in streams { loss.add(kind, what) }
            return loss
        }
    }
}
