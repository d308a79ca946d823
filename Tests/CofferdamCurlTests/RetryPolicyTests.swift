#if Curl
import Cofferdam
import CofferdamCurl
import HTTPTypes
import Testing

struct RetryPolicyTests {
    static let policy = RetryPolicy.standard { $0.backoff = Backoff(initial: .seconds(1), factor: 2, jitter: 0) }

    static func decision(
        _ outcome: RetryOutcome,
        by policy: RetryPolicy = policy,
        attempt: Int = 1,
        _ method: HTTPRequest.Method = .get,
        key: String? = nil,
        isBodyReplayable: Bool = true
    ) throws -> RetryDecision {
        var request = try HTTPRequest(method, url: "http://h/")
        request.headerFields[try #require(.init("Idempotency-Key"))] = key
        return policy.decision(
            attempt: attempt,
            request: request,
            isBodyReplayable: isBodyReplayable,
            outcome: outcome,
            now: 1_000_000,
            random: 1
        )
    }

    static func answer(_ status: Int, retryAfter: String? = nil) -> RetryOutcome {
        var response = HTTPResponse(status: .init(code: status))
        response.headerFields[.retryAfter] = retryAfter
        return .answered(response)
    }

    static func failure(_ code: CurlError.Code, wasSent: Bool?) -> RetryOutcome {
        .failed(CurlError(code, "", wasSent: wasSent))
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"])
    func `An idempotent request is repeated`(method: String) throws {
        let method = try #require(HTTPRequest.Method(method))
        #expect(try Self.decision(Self.answer(503), method) == .retry(after: .seconds(1)))
        #expect(try Self.decision(Self.failure(.truncated, wasSent: true), method) == .retry(after: .seconds(1)))
        #expect(try Self.decision(Self.failure(.timeout, wasSent: nil), method) == .retry(after: .seconds(1)))
    }

    @Test(arguments: ["POST", "PATCH", "get", "PURGE"])
    func `Another request is repeated only with a key, or when it was not sent`(method: String) throws {
        let method = try #require(HTTPRequest.Method(method))
        let sent = [Self.answer(503), Self.failure(.truncated, wasSent: true), Self.failure(.timeout, wasSent: nil)]
        for outcome in sent {
            #expect(try Self.decision(outcome, method) == .stop)
            #expect(try Self.decision(outcome, method, key: "") == .stop)
            #expect(try Self.decision(outcome, method, key: "k") == .retry(after: .seconds(1)))
        }
        #expect(try Self.decision(Self.failure(.connect, wasSent: false), method) == .retry(after: .seconds(1)))
    }

    @Test(arguments: [
        answer(503), failure(.connect, wasSent: false), failure(.truncated, wasSent: true),
    ])
    func `A body that cannot be replayed is not sent again`(outcome: RetryOutcome) throws {
        #expect(try Self.decision(outcome, .put, key: "k", isBodyReplayable: false) == .stop)
    }

    @Test(arguments: [
        (408, true), (429, true), (502, true), (503, true), (504, true),
        (200, false), (301, false), (400, false), (404, false), (425, false), (500, false), (501, false),
    ])
    func `Only the listed statuses are repeated`(status: Int, expected: Bool) throws {
        #expect(try (Self.decision(Self.answer(status)) != .stop) == expected)
    }

    @Test(arguments: [
        (CurlError.Code.dns, true), (.connect, true), (.timeout, true), (.truncated, true), (.connectionLost, true),
        (.tls, false), (.tooLarge, false), (.protocol, false), (.redirect, false), (.closed, false),
        (.invalidRequest, false), (.unknown, false),
    ])
    func `Only the listed failures are repeated`(code: CurlError.Code, expected: Bool) throws {
        #expect(try (Self.decision(Self.failure(code, wasSent: false)) != .stop) == expected)
        #expect(CurlError(code, "").isRetryable == expected)
    }

    @Test func `The attempts are counted, and the waits grow`() throws {
        #expect(try Self.decision(Self.answer(503), attempt: 1) == .retry(after: .seconds(1)))
        #expect(try Self.decision(Self.answer(503), attempt: 2) == .retry(after: .seconds(2)))
        #expect(try Self.decision(Self.answer(503), attempt: 3) == .stop)
    }

    @Test(arguments: [.min, -1, 0, 1])
    func `Without attempts left nothing is repeated`(maximum: Int) throws {
        var policy = Self.policy
        policy.maximumAttempts = maximum
        #expect(try Self.decision(Self.answer(503), by: policy) == .stop)
    }

    @Test func `By default nothing is repeated`() throws {
        #expect(try Self.decision(Self.failure(.connect, wasSent: false), by: .never) == .stop)
        #expect(try Self.decision(Self.answer(503), by: .never) == .stop)
    }

    @Test(arguments: [
        ("0", RetryDecision.retry(after: .seconds(1))), ("30", .retry(after: .seconds(31))), ("31", .stop),
        ("99999999999999999999", .stop), ("soon", .retry(after: .seconds(1))),
        // 1,000,020 seconds after 1970.
        ("Mon, 12 Jan 1970 13:47:00 GMT", .retry(after: .seconds(21))),
        ("Mon, 12 Jan 1970 13:47:30 GMT", .stop),
    ])
    func `The server's wait is added, and refused if it is too long`(
        value: String,
        expected: RetryDecision
    ) throws {
        #expect(try Self.decision(Self.answer(503, retryAfter: value)) == expected)
    }

    @Test func `Neither clock nor randomness is read when the decision is clear`() throws {
        let decision = Self.policy.decision(
            attempt: 1,
            request: try HTTPRequest(.post, url: "http://h/"),
            isBodyReplayable: true,
            outcome: Self.answer(503, retryAfter: "5"),
            now: {
                Issue.record("the clock was read"); return 0
            }(),
            random: {
                Issue.record("chance was asked"); return 0
            }()
        )
        #expect(decision == .stop)
    }
}
#endif
