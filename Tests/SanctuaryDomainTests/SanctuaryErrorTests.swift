import SanctuaryDomain
import Testing

@Suite struct SanctuaryErrorTests {
    @Test(
        arguments: [
            (400, .invalidRequest, false), (401, .authenticationRequired, false), (403, .forbidden, false),
            (404, .notFound, false), (405, .invalidRequest, false), (408, .timeout, true), (409, .conflict, false),
            (412, .conflict, false), (418, .invalidRequest, false), (422, .invalidRequest, false),
            (429, .rateLimited, true), (499, .invalidRequest, false), (500, .unavailable, true),
            (501, .unavailable, true),
            (502, .unavailable, true), (503, .unavailable, true), (504, .timeout, true), (599, .unavailable, true),
            (999, .unknown, false), (600, .unknown, false), (304, .unknown, false), (200, .unknown, false),
            (0, .unknown, false), (-1, .unknown, false),
        ] as [(Int, SanctuaryError.Code, Bool)]
    )
    func `each status has one meaning, and says whether a retry can help (ERR-02, D20)`(
        status: Int,
        code: SanctuaryError.Code,
        isRetryable: Bool
    ) {
        let error = SanctuaryError(SanctuaryError.Code(status: status), "refused")
        #expect(error.code == code)
        #expect(error.isRetryable == isRetryable)
    }

    @Test func `what was sent and may have been done is not to be retried (MUT-06)`() {
        #expect(!SanctuaryError(.outcomeUnknown, "lost").isRetryable)
    }

    @Test func `an error says what failed, where, when to try again, and why`() {
        let error = SanctuaryError(
            .rateLimited,
            "too many calls",
            subject: "animals",
            retryAfter: .seconds(3),
            cause: .init(domain: "HTTP", code: "429", message: "slow down")
        )
        #expect("\(error)" == "rateLimited: too many calls (animals); try again in 3 s [HTTP 429: slow down]")
        #expect("\(SanctuaryError(.notFound, "no such animal"))" == "notFound: no such animal")
    }

    @Test("A wait that has passed is none")
    func passedWait() {
        #expect(SanctuaryError(.rateLimited, "m", retryAfter: .seconds(-7)).retryAfter == .zero)
        #expect(SanctuaryError(.rateLimited, "m", retryAfter: .seconds(7)).retryAfter == .seconds(7))
        #expect(SanctuaryError(.rateLimited, "m").retryAfter == nil)
    }
}
