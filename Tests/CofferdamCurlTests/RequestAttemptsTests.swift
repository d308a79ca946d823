#if Curl
import Cofferdam
import CofferdamCurl
import HTTPTypes
import InMemoryLogging
import InMemoryTracing
import Logging
import Testing
import Tracing

struct RequestAttemptsTests {
    /// A test server that answers from a list, and records its requests and the waits.
    private final class Script: Sendable {
        enum Answer: Sendable { case status(Int, location: String? = nil, retryAfter: String? = nil), error(CurlError) }
        struct Log: Sendable, Equatable {
            var asked: [String] = []
            var waits: [Duration] = []
            var discarded: [Int] = []
        }

        private let state: Mutex<(answers: [Answer], log: Log)>

        init(_ answers: [Answer]) { state = Mutex((answers.reversed(), Log())) }

        var log: Log { state.withLock { $0.log } }
        func wait(_ duration: Duration) { state.withLock { $0.log.waits.append(duration) } }
        func discard(_ reply: HTTPResponse) { state.withLock { $0.log.discarded.append(reply.status.code) } }

        func answer(_ request: HTTPRequest, _ sendsBody: Bool) throws -> HTTPResponse {
            let answer = state.withLock { state in
                let target = "\(request.method.rawValue) \(request.authority ?? "")\(request.path ?? "")"
                state.log.asked.append(target + (sendsBody ? " +body" : ""))
                return state.answers.popLast()
            }
            switch try #require(answer, "asked more often than expected") {
            case .error(let error): throw error
            case .status(let status, let location, let retryAfter):
                var response = HTTPResponse(status: .init(code: status))
                response.headerFields[.location] = location
                response.headerFields[.retryAfter] = retryAfter
                return response
            }
        }
    }

    static let retry = RetryPolicy.standard { $0.backoff = Backoff(initial: .seconds(1), jitter: 0) }
    static let lost = CurlError(.connectionLost, "h: lost", wasSent: true)

    private func run(
        _ script: Script,
        _ request: HTTPRequest,
        retry: RetryPolicy = retry,
        redirects: RedirectPolicy = .followed(),
        budget: RetryBudget? = nil,
        isBodyReplayable: Bool = true,
        deadline: Duration? = nil,
        observation: RequestObservation? = nil,
        sleep: (@Sendable (Duration) async throws -> Void)? = nil
    ) async throws -> Int {
        let start = ContinuousClock.now
        let attempts = RequestAttempts(
            redirects: redirects,
            retry: retry,
            budget: budget,
            now: { start },
            sleep: sleep ?? { script.wait($0) }
        )
        let reply = try await #require(attempts).run(
            request,
            isBodyReplayable: { isBodyReplayable },
            deadline: deadline.map { start + $0 },
            observation: observation,
            head: { $0 },
            discard: script.discard,
            attempt: { try script.answer($0, $1) }
        )
        return reply.status.code
    }

    @Test(arguments: [.min, 0, 1])
    func `Without policies there is only one attempt`(attempts: Int) {
        let retry = RetryPolicy.standard { $0.maximumAttempts = attempts }
        #expect(RequestAttempts(redirects: .returned, retry: retry, budget: RetryBudget()) == nil)
        #expect(RequestAttempts(redirects: .returned, retry: .never, budget: nil) == nil)
    }

    @Test func `A request that is answered is sent once`() async throws {
        let script = Script([.status(200)])
        #expect(try await run(script, HTTPRequest(.put, url: "http://h/")) == 200)
        #expect(script.log == .init(asked: ["PUT h/ +body"]))
    }

    @Test func `A request is retried until it is answered, after growing waits`() async throws {
        let script = Script([.error(Self.lost), .status(503, retryAfter: "5"), .status(200)])
        #expect(try await run(script, HTTPRequest(.put, url: "http://h/")) == 200)
        #expect(script.log.asked == ["PUT h/ +body", "PUT h/ +body", "PUT h/ +body"])
        #expect(script.log.waits == [.seconds(1), .seconds(7)])
        #expect(script.log.discarded == [503])
    }

    @Test func `The last failure is thrown to the caller`() async throws {
        let script = Script([.error(Self.lost), .error(Self.lost), .status(503)])
        #expect(try await run(script, HTTPRequest(.get, url: "http://h/")) == 503)
        #expect(script.log.discarded.isEmpty)
        let other = Script([.status(503), .status(503), .error(Self.lost)])
        #expect(try await curlError { try await run(other, HTTPRequest(.get, url: "http://h/")) } == Self.lost)
        #expect(other.log.discarded == [503, 503])
    }

    @Test func `A foreign error is passed through`() async throws {
        struct Foreign: Error {}
        let made = RequestAttempts(redirects: .followed(), retry: Self.retry, budget: nil, sleep: { _ in })
        let attempts = try #require(made)
        let request = try HTTPRequest(.get, url: "http://h/")
        await #expect(throws: Foreign.self) {
            try await attempts.run(request, isBodyReplayable: { true }, head: { $0 }) { _, _ -> HTTPResponse in
                throw Foreign()
            }
        }
    }

    @Test func `After a redirect without body, the body prevents no retry and is not sent again`() async throws {
        let script = Script([
            .status(303, location: "/b"), .error(Self.lost), .status(307, location: "/c"), .status(200),
        ])
        let request = try HTTPRequest(.post, url: "http://h/a")
        #expect(try await run(script, request, isBodyReplayable: false) == 200)
        #expect(script.log.asked == ["POST h/a +body", "GET h/b", "GET h/b", "GET h/c"])
        #expect(script.log.discarded == [303, 307])
    }

    @Test func `Attempts are counted over all hops, redirects are not among them`() async throws {
        let script = Script([
            .error(Self.lost), .status(307, location: "/b"), .status(307, location: "/c"), .error(Self.lost),
            .error(Self.lost),
        ])
        let error = try await curlError { try await run(script, HTTPRequest(.get, url: "http://h/a")) }
        #expect(error == Self.lost)
        #expect(script.log.asked == ["GET h/a", "GET h/a", "GET h/b", "GET h/c", "GET h/c"].map { $0 + " +body" })
    }

    @Test func `A refused redirect discards its reply`() async throws {
        let script = Script([.status(302, location: "/a")])
        let error = try await curlError { try await run(script, HTTPRequest(.get, url: "http://h/a")) }
        #expect(error.code == .redirect)
        #expect(script.log.discarded == [302])
    }

    @Test func `One redirect over the limit is an error, whatever the retries`() async throws {
        let script = Script([.status(302, location: "/b"), .error(Self.lost), .status(302, location: "/c")])
        let error = try await curlError {
            try await run(script, HTTPRequest(.get, url: "http://h/a"), redirects: .followed(upTo: 1))
        }
        #expect(error.code == .redirect)
        #expect(error.message.contains("more than 1"))
    }

    @Test func `Without budget the failure is thrown to the caller`() async throws {
        let budget = RetryBudget(share: 0, minimumPerSecond: 0, reserve: 1)
        let script = Script([.error(Self.lost), .error(Self.lost)])
        let error = try await curlError { try await run(script, HTTPRequest(.get, url: "http://h/"), budget: budget) }
        #expect(error == Self.lost)
        #expect(script.log.waits.count == 1)
    }

    @Test func `A request pays into the budget once, and only when it may be repeated`() async throws {
        let budget = RetryBudget(share: 1, minimumPerSecond: 0, reserve: 2)
        #expect(budget.withdraw())
        #expect(budget.withdraw())
        let request = try HTTPRequest(.get, url: "http://h/")
        _ = try await run(Script([.status(200)]), request, retry: .never, budget: budget)
        #expect(!budget.withdraw())
        _ = try await run(Script([.error(Self.lost), .status(200)]), request, budget: budget)
        #expect(!budget.withdraw())
    }

    @Test(arguments: [(0.0, 1), (1.0, 1), (1.5, 2), (2.0, 2), (2.5, 3)])
    func `A wait that would outlast the deadline is not started`(deadline: Double, attempts: Int) async throws {
        // The test's clock stands still, so each wait is measured alone.
        let script = Script(Array(repeating: .status(503), count: 3))
        let request = try HTTPRequest(.get, url: "http://h/")
        #expect(try await run(script, request, deadline: .seconds(deadline)) == 503)
        #expect(script.log.asked.count == attempts)
    }

    @Test func `Cancelling during a wait ends it`() async throws {
        let script = Script([.status(503)])
        await #expect(throws: CancellationError.self) {
            try await run(script, HTTPRequest(.get, url: "http://h/")) { _ in throw CancellationError() }
        }
        #expect(script.log.discarded == [503])
    }

    @Test func `Each resend is observed`() async throws {
        let tracer = InMemoryTracer()
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "test") { _ in handler }
        logger.logLevel = .trace
        let observer = try #require(RequestObserver(CurlObservability(logger: logger, tracer: tracer)))
        var request = try HTTPRequest(.get, url: "http://h/")
        let observation = try #require(observer.begin(&request))
        let script = Script([.error(Self.lost), .status(302, location: "/b"), .status(200)])
        _ = try await run(script, request, observation: observation)
        observation.end()
        #expect(tracer.finishedSpans.first?.attributes.get("http.request.resend_count") == .int64(2))
        #expect(handler.entries.compactMap { $0.metadata["status"] } == ["302"])
        #expect(handler.entries.last?.metadata["attempts"] == "3")
    }
}
#endif
