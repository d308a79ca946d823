#if Curl
import CofferdamCurl
import HTTPTypes
import InMemoryLogging
import Logging
import Testing

struct RequestLogTests {
    let handler = InMemoryLogHandler()
    let clock = TwoInstants(apart: .milliseconds(5))

    func observer(_ level: Logger.Level) throws -> RequestObserver {
        var logger = Logger(label: "test") { _ in handler }
        logger.logLevel = level
        let clock = clock
        let observer = RequestObserver(CurlObservability(logger: logger)) { clock.read() }
        return try #require(observer)
    }

    func run(_ level: Logger.Level) throws {
        var request = try HTTPRequest(
            .get,
            url: "https://h/private",
            headerFields: [.authorization: "private", .accept: "a"]
        )
        let observation = try observer(level).begin(&request)
        observation?.receive(HTTPResponse(status: .ok, headerFields: [.setCookie: "private", .server: "s"]))
        observation?.end()
    }

    @Test func `At debug a request is two lines, without header fields`() throws {
        try run(.debug)
        #expect(
            handler.entries == [
                .init(level: .debug, message: "HTTP request begins", metadata: ["method": "GET", "host": "h:443"]),
                .init(
                    level: .debug,
                    message: "HTTP request ended",
                    metadata: [
                        "method": "GET", "host": "h:443", "status": "200", "attempts": "1",
                        "duration": "0.005 seconds",
                    ]
                ),
            ]
        )
    }

    @Test func `At trace the header fields are shown, but no secret`() throws {
        try run(.trace)
        let headers = handler.entries.compactMap { $0.metadata["headers"] }
        #expect(
            headers == [
                .dictionary(["authorization": "<redacted>", "accept": "a"]),
                .dictionary(["set-cookie": "<redacted>", "server": "s"]),
            ]
        )
        #expect(!"\(handler.entries)".contains("private"))
    }

    @Test func `An error is logged with its message, a foreign one without`() throws {
        struct Foreign: Error { let secret = "private" }
        var request = try HTTPRequest(.get, url: "http://h/")
        let observer = try observer(.debug)
        observer.begin(&request)?.end(throwing: CurlError(.dns, "h: no address"))
        observer.begin(&request)?.end(throwing: Foreign())
        observer.begin(&request)?.end(throwing: CancellationError())
        let errors = handler.entries.compactMap { $0.metadata["error"] }
        #expect(errors == ["dns: h: no address", "_OTHER", "cancelled"])
    }

    @Test(arguments: [Logger.Level.info, .notice, .error, .critical])
    func `Above debug nothing is done at all`(level: Logger.Level) throws {
        try run(level)
        #expect(handler.entries.isEmpty)
        #expect(clock.count == 0)
    }

    @Test func `Without a destination there is no observer`() {
        #expect(RequestObserver(.none) == nil)
    }
}
#endif
