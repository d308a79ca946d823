#if Curl
package import HTTPTypes

/// Runs a request with its retries and redirects, one attempt at a time.
package struct RequestAttempts: Sendable {
    private let redirects: RedirectPolicy
    private let retry: RetryPolicy
    private let budget: RetryBudget?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let sleep: @Sendable (Duration) async throws -> Void

    /// Returns `nil` when there is only one attempt, because redirects are returned and nothing is retried.
    ///
    /// - Parameters:
    ///   - budget: limits the retries; `nil` for no limit other than the policy's.
    ///   - sleep: waits, or throws `CancellationError` at once when the task is cancelled.
    package init?(
        redirects: RedirectPolicy,
        retry: RetryPolicy,
        budget: RetryBudget?,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        guard redirects != .returned || retry.maximumAttempts > 1 else { return nil }
        self.redirects = redirects
        self.retry = retry
        self.budget = budget
        self.now = now
        self.sleep = sleep
    }

    /// Returns the reply for the caller.
    ///
    /// The retry policy counts attempts over all hops together; redirects do not count.
    ///
    /// - Parameters:
    ///   - isBodyReplayable: whether the body can be sent again from the start; called after an attempt.
    ///   - deadline: the deadline of all attempts together; a wait that would reach it is not started.
    ///   - observation: records each reply's head except the last, and each time the request is sent again. The caller
    ///     records the last head and the end.
    ///   - head: returns a reply's head.
    ///   - discard: discards a reply, with the rest of its body, that is not returned to the caller.
    ///   - attempt: sends the request once, with or without the body.
    /// - Throws: the last attempt's error; `redirect`; `CancellationError` when cancelled during a wait.
    package func run<Reply>(
        _ request: HTTPRequest,
        isBodyReplayable: () -> Bool,
        deadline: ContinuousClock.Instant? = nil,
        observation: RequestObservation? = nil,
        head: (Reply) -> HTTPResponse,
        discard: (Reply) -> Void = { _ in },
        attempt: (HTTPRequest, _ sendsBody: Bool) async throws -> Reply
    ) async throws -> Reply {
        if retry.maximumAttempts > 1 { budget?.deposit() }
        var current = request
        var sendsBody = true
        var earlier: [HTTPRequest] = []
        var attempts = 0
        while true {
            attempts += 1
            let outcome: RetryOutcome
            let result: Result<Reply, CurlError>
            do {
                let reply = try await attempt(current, sendsBody)
                result = .success(reply)
                outcome = .answered(head(reply))
            } catch let error as CurlError {
                result = .failure(error)
                outcome = .failed(error)
            }
            let canReplay = !sendsBody || isBodyReplayable()
            if let wait = wait(after: outcome, of: current, attempts, canReplay, until: deadline) {
                if case .success(let reply) = result { pass(reply, head, discard, observation) }
                try await sleep(wait)
                observation?.resend()
                continue
            }
            let reply = try result.get()
            let step: RedirectStep
            do throws(CurlError) {
                step = try redirects.step(
                    after: current,
                    isBodyReplayable: canReplay,
                    response: head(reply),
                    earlier: earlier
                )
            } catch {
                discard(reply)
                throw error
            }
            guard case .follow(let next, let keepsBody) = step else { return reply }
            pass(reply, head, discard, observation)
            earlier.append(current)
            current = next
            sendsBody = sendsBody && keepsBody
            attempts -= 1
            observation?.resend()
        }
    }

    private func wait(
        after outcome: RetryOutcome,
        of request: HTTPRequest,
        _ attempts: Int,
        _ isBodyReplayable: Bool,
        until deadline: ContinuousClock.Instant?
    ) -> Duration? {
        let decision = retry.decision(
            attempt: attempts,
            request: request,
            isBodyReplayable: isBodyReplayable,
            outcome: outcome
        )
        guard case .retry(let wait) = decision else { return nil }
        if let deadline, now() + wait >= deadline { return nil }
        if let budget, !budget.withdraw(at: now()) { return nil }
        return wait
    }

    private func pass<Reply>(
        _ reply: Reply,
        _ head: (Reply) -> HTTPResponse,
        _ discard: (Reply) -> Void,
        _ observation: RequestObservation?
    ) {
        observation?.receive(head(reply))
        discard(reply)
    }
}
#endif
