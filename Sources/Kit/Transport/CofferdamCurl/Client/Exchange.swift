#if Curl
import HTTPTypes

/// A request with its retries, redirects and observation.
struct Exchange {
    private let limits: TransferLimits
    private let body: CurlRequestBody
    private let observer: RequestObserver?
    private let redirects: RedirectPolicy
    private let budget: RetryBudget

    init(
        _ limits: TransferLimits,
        body: CurlRequestBody,
        observer: RequestObserver?,
        configuration: CurlConfiguration
    ) {
        self.limits = limits
        self.body = body
        self.observer = observer
        redirects = limits.redirects.using(configuration.tls)
        budget = configuration.retryBudget
    }

    /// - Parameter attempt: sends the request once; the observation is for requests that are a part of this one.
    func run<Reply: ExchangeReply>(
        _ request: HTTPRequest,
        attempt: (HTTPRequest, CurlRequestBody, RequestObservation?) async throws -> Reply
    ) async throws -> Reply {
        var request = request
        let observation = observer?.begin(&request, bodySize: body.knownSize)
        do {
            let reply = try await reply(to: request, observation, attempt)
            if let observation { reply.report(to: observation) }
            return reply
        } catch {
            observation?.end(throwing: error)
            throw error
        }
    }

    private func reply<Reply: ExchangeReply>(
        to request: HTTPRequest,
        _ observation: RequestObservation?,
        _ attempt: (HTTPRequest, CurlRequestBody, RequestObservation?) async throws -> Reply
    ) async throws -> Reply {
        guard let attempts = RequestAttempts(redirects: redirects, retry: limits.retry, budget: budget) else {
            return try await attempt(request, body, observation)
        }
        return try await attempts.run(
            request,
            isBodyReplayable: { body.isReplayable },
            deadline: Reply.isWhole ? limits.timeouts.whole.map { .now + $0 } : nil,
            observation: observation,
            head: { $0.head },
            discard: { $0.discard() },
            attempt: { try await attempt($0, $1 ? body : .empty, observation) }
        )
    }
}

/// The result of an exchange.
protocol ExchangeReply: Sendable {
    /// Whether the time-out of the whole request applies.
    static var isWhole: Bool { get }
    var head: HTTPResponse { get }
    /// Discards a reply that is not handed to the caller.
    func discard()
    /// Records the reply and its end.
    func report(to observation: RequestObservation)
}

extension CurlReply: ExchangeReply {
    static var isWhole: Bool { true }

    func discard() {}

    func report(to observation: RequestObservation) {
        observation.receive(head, version: httpVersion)
        observation.end(bodySize: body.count)
    }
}

extension CurlStream: ExchangeReply {
    static var isWhole: Bool { false }

    func discard() { body.discard() }

    func report(to observation: RequestObservation) {
        observation.receive(head, version: httpVersion)
        body.observe(observation)
    }
}
#endif
