import Cofferdam

/// What one side did with a call.
struct Attempt<Output: Sendable>: Sendable {
    var result: Result<Output, any Error>
    var outcome: RoutedCall.Outcome
    var duration: Duration
    var hasTimedOut = false

    /// Whether the vendor may have been reached.
    var mayHaveWritten: Bool {
        switch outcome {
        case .answered, .cancelled, .failed(.failed, _), .failed(.outcomeUnknown, _), .failed(.answer, _): true
        case .notOpened, .refused, .failed(.unsent, _): false
        }
    }

    /// Opens the side if that has not been done, and calls it.
    static func of<Port: Sendable>(
        _ settings: RouteSettings,
        now: () -> Duration,
        open: () async throws -> Port,
        _ call: (Port) async throws -> Output
    ) async -> Attempt {
        let start = now()
        var attempt = await untimed(settings, open: open, call)
        attempt.duration = now() - start
        return attempt
    }

    private static func untimed<Port: Sendable>(
        _ settings: RouteSettings,
        open: () async throws -> Port,
        _ call: (Port) async throws -> Output
    ) async -> Attempt {
        let port: Port
        do {
            port = try await open()
        } catch {
            let kind = settings.failures.kind(error)
            return failure(error, error is CancellationError ? .cancelled : .notOpened(kind: kind))
        }
        do {
            return Attempt(result: .success(try await call(port)), outcome: .answered, duration: .zero)
        } catch is Abandoned {
            var attempt = failure(Abandoned(), .failed(.outcomeUnknown, kind: "timedOut"))
            attempt.hasTimedOut = true
            return attempt
        } catch let error as CancellationError {
            return failure(error, .cancelled)
        } catch {
            let meaning = settings.failures.meaning(error)
            return failure(
                error,
                meaning == .answer ? .answered : .failed(meaning, kind: settings.failures.kind(error))
            )
        }
    }

    /// The side's breaker is open.
    static var refused: Attempt { failure(Refused(), .refused) }

    private static func failure(_ error: any Error, _ outcome: RoutedCall.Outcome) -> Attempt {
        Attempt(result: .failure(error), outcome: outcome, duration: .zero)
    }
}

/// A breaker was open. No caller sees it, because another side is asked then.
private struct Refused: Error {}
