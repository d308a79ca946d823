import Cofferdam

/// The result of asking one side.
struct Attempt: Sendable {
    /// Nil if the side returned a value.
    var error: (any Error)?
    var outcome: RoutedCall.Outcome
    /// The time that the call took, without opening the side.
    var duration: Duration
    /// The kind of the error if it is an answer; nil otherwise.
    var answer: String?
    private var hasTimedOut = false

    /// Whether the call may have reached the vendor.
    var mayHaveWritten: Bool {
        switch outcome {
        case .answered, .cancelled, .failed(.failed, _), .failed(.outcomeUnknown, _), .failed(.answer, _): true
        case .notOpened, .refused, .failed(.unsent, _): false
        }
    }

    /// Whether the outcome is unknown.
    var isUnknown: Bool {
        if case .failed(.outcomeUnknown, _) = outcome { true } else { false }
    }

    /// Whether the side failed and gave no answer.
    var hasFailed: Bool {
        switch outcome {
        case .failed, .notOpened, .refused: true
        case .answered, .cancelled: false
        }
    }

    /// Returns the answer in the form that is compared.
    ///
    /// - Parameter output: what the side returned.
    func compared<Output>(_ output: Output?) -> ComparedAnswer<Output> {
        if hasTimedOut { return .timedOut }
        switch outcome {
        case .answered: return output.map { .value($0) } ?? .error(kind: answer ?? "")
        case .failed(_, let kind), .notOpened(let kind): return .failed(kind: kind)
        case .cancelled: return .failed(kind: "cancelled")
        case .refused: return .failed(kind: "refused")
        }
    }

    /// Creates the result of a call that reached the side. Call it in the task of the call.
    ///
    /// - Parameter error: what the side threw; nil if it returned a value.
    init(_ error: (any Error)?, took duration: Duration, _ failures: ErrorClassifier) {
        self.error = error
        self.duration = duration
        switch error {
        case nil: outcome = .answered
        case is TimedOut:
            outcome = .failed(.outcomeUnknown, kind: "timedOut")
            hasTimedOut = true
        case let error? where Self.isCancellation(error): outcome = .cancelled
        case is CancellationError: outcome = .failed(.outcomeUnknown, kind: "cancelled")
        case .some(let error):
            let (meaning, kind) = (failures.meaning(error), failures.kind(error))
            if meaning == .answer { answer = kind }
            outcome = meaning == .answer ? .answered : .failed(meaning, kind: kind)
        }
    }

    /// Creates the result of a call whose side could not be opened.
    init(notOpened error: any Error, _ failures: ErrorClassifier) {
        self.error = error
        outcome = Self.isCancellation(error) ? .cancelled : .notOpened(kind: failures.kind(error))
        duration = .zero
    }

    /// A call whose caller gave up while the side was still asked.
    init(givenUpAfter duration: Duration) {
        (error, outcome, self.duration) = (CancellationError(), .cancelled, duration)
    }

    /// Whether the caller has cancelled the call. A side that throws `CancellationError` although its caller waits has
    /// failed.
    static func isCancellation(_ error: any Error) -> Bool { error is CancellationError && Task.isCancelled }

    /// An attempt that the side's breaker refused.
    static let refused = Attempt(refusal: Refused())

    private init(refusal: Refused) { (error, outcome, duration) = (refusal, .refused, .zero) }

    /// A breaker was open. No caller sees this error, because the other side answers.
    private struct Refused: Error {}
}
