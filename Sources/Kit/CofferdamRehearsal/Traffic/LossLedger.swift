import Cofferdam
import CofferdamUpgrade

/// What users asked for and what they got, kept by the rehearsal itself: neither side is believed.
final class LossLedger: Sendable {
    private struct State {
        var loss = Loss()
        /// How each write ended, by its key.
        var writes: [String: WriteEnd] = [:]
        /// From when to when each was under way, by its key.
        var times: [String: ClosedRange<Duration>] = [:]
    }

    private enum WriteEnd {
        case acknowledged, refused, unknown
    }

    private let state = Mutex(State())
    private let failures: ErrorClassifier

    init(failures: ErrorClassifier) { self.failures = failures }

    /// What users have lost by calls until now, but for what only the service's own record tells.
    var loss: Loss { state.withLock { $0.loss } }

    /// From when to when each key was being written, since the rehearsal began.
    var published: [String: ClosedRange<Duration>] { state.withLock { $0.times } }

    /// A unit has done something, with that error or well.
    ///
    /// - Parameter time: from when to when it lasted.
    func did(
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
            // A user who does not wait loses nothing; of a write the service's record tells.
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

    /// Holds what was said against what is there.
    ///
    /// - Parameters:
    ///   - record: how often each key is in the service's own record.
    ///   - streams: what was lost of those, by the same.
    /// - Returns: all that was lost.
    func settled(by record: [String: Int], _ streams: [(kind: Loss.Kind, what: String)]) -> Loss {
        state.withLock { state in
            var loss = state.loss
            for (key, end) in state.writes.sorted(by: { $0.key < $1.key }) {
                let count = record[key, default: 0]
                if count > 1 { loss.add(.doubled, "\(key) is there \(count) times") }
                if count == 0, end == .acknowledged { loss.add(.missing, "\(key) was confirmed, and is not there") }
                if count > 0, end == .refused { loss.add(.undeclared, "\(key) was refused, and is there") }
            }
            for (kind, what) in streams { loss.add(kind, what) }
            return loss
        }
    }
}
