import Cofferdam

/// The result of asking one side.
struct Attempt<Output: Sendable>: Sendable {
    var result: Result<Output, any Error>
    var outcome: RoutedCall.Outcome
    /// The time that the call took, without opening the side.
    var duration: Duration
    /// The kind of the error if it is an answer; nil otherwise.
    var answer: String?
    var hasTimedOut = false

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
    func compared(_ failures: ErrorClassifier) -> ComparedAnswer<Output> {
        if hasTimedOut { return .timedOut }
        return switch (outcome, result) {
        case (.answered, .success(let output)): .value(output)
        case (.answered, .failure(let error)): .error(kind: failures.kind(error))
        case (.failed(_, let kind), _), (.notOpened(let kind), _): .failed(kind: kind)
        case (.cancelled, _): .failed(kind: "cancelled")
        case (.refused, _): .failed(kind: "refused")
        }
    }

    /// Opens the side if necessary, and calls it. Only the call is timed.
    ///
    /// - Parameter began: called once the side is open, when the call begins.
    static func of<Port: Sendable>(
        _ settings: RouteSettings,
        now: () -> Duration,
        open: () async throws -> Port,
        began: (_ at: Duration) -> Void = { _ in },
        _ call: (Port) async throws -> Output
    ) async -> Attempt {
        let port: Port
        do {
            port = try await open()
        } catch {
            let kind = settings.failures.kind(error)
            return failure(error, error is CancellationError ? .cancelled : .notOpened(kind: kind))
        }
        let start = now()
        began(start)
        do {
            let output = try await call(port)
            return Attempt(.success(output), took: now() - start, settings.failures)
        } catch {
            return Attempt(.failure(error), took: now() - start, settings.failures)
        }
    }

    /// Creates the result of a call that reached the side.
    init(_ result: Result<Output, any Error>, took duration: Duration, _ failures: ErrorClassifier) {
        self.result = result
        self.duration = duration
        switch result {
        case .success: outcome = .answered
        case .failure(is TimedOut):
            outcome = .failed(.outcomeUnknown, kind: "timedOut")
            hasTimedOut = true
        case .failure(is CancellationError): outcome = .cancelled
        case .failure(let error):
            let meaning = failures.meaning(error)
            if meaning == .answer { answer = failures.kind(error) }
            outcome = meaning == .answer ? .answered : .failed(meaning, kind: failures.kind(error))
        }
    }

    /// An attempt that the side's breaker refused.
    static var refused: Attempt { failure(Refused(), .refused) }

    private static func failure(_ error: any Error, _ outcome: RoutedCall.Outcome) -> Attempt {
        Attempt(result: .failure(error), outcome: outcome)
    }

    private init(result: Result<Output, any Error>, outcome: RoutedCall.Outcome) {
        (self.result, self.outcome, duration) = (result, outcome, .zero)
    }
}

/// A breaker was open. No caller sees this error, because the other side answers.
private struct Refused: Error {}
