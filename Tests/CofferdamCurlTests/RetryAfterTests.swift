#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110.
    static let example = 784_111_777

    @Test(arguments: [
        ("0", Duration.zero), ("120", .seconds(120)), ("007", .seconds(7)), (" 5", .seconds(5)),
        ("-5", .zero), ("-99999999999999999999999", .zero),
        ("31622400", RetryAfter.longest), ("31622401", RetryAfter.longest),
        ("9223372036854775807", RetryAfter.longest), ("99999999999999999999999", RetryAfter.longest),
        ("Sun, 06 Nov 1994 08:49:37 GMT", .seconds(100)),
        ("Sunday, 06-Nov-94 08:49:37 GMT", .seconds(100)),
        ("Sun Nov  6 08:49:37 1994", .seconds(100)),
        ("Sun, 06 Nov 1994 08:47:56 GMT", .zero), ("Thu, 01 Jan 1970 00:00:00 GMT", .zero),
        ("Fri, 31 Dec 9999 23:59:59 GMT", RetryAfter.longest),
    ])
    func `A number of seconds, or a date in any of the three forms`(value: String, expected: Duration) {
        let response = HTTPResponse(status: .serviceUnavailable, headerFields: [.retryAfter: value])
        #expect(RetryAfter.delay(from: response, now: Self.example - 100) == expected)
    }

    @Test(arguments: [
        "", "-", "--5", "+5", "1.5", "5s", "0x10", "5, 10", "٥", "soon", "20301231 GMT", "20301231 08:49:37",
        "06 Nov 2030 08:49:37 GMT", "12:00:00", "Sun", "Sunday",
        "Sun, 06 Nov 1994", "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:61:61 GMT",
        "Sun Sun Sun 08:49:37", "5 Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 \(String(repeating: "x", count: 10_000))",
    ])
    func `Anything else is ignored`(value: String) {
        let response = HTTPResponse(status: .serviceUnavailable, headerFields: [.retryAfter: value])
        #expect(RetryAfter.delay(from: response, now: 0) == nil)
    }

    @Test(arguments: [Int.min, -1, 0, Int.max])
    func `No clock makes it overflow`(now: Int) throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let response = HTTPResponse(status: .serviceUnavailable, headerFields: [.retryAfter: date])
        let delay = try #require(RetryAfter.delay(from: response, now: now))
        #expect(delay == (now == .max ? .zero : RetryAfter.longest))
    }

    @Test func `Without the field there is no wait`() {
        #expect(RetryAfter.delay(from: HTTPResponse(status: .serviceUnavailable)) == nil)
    }

    @Test func `The system's clock is after this was written`() {
        #expect(RetryAfter.now > 1_700_000_000)
    }
}
#endif
