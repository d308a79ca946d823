#if Curl
import Cofferdam
import CofferdamCurl
import HTTPTypes
import InMemoryTracing
import Testing
import Tracing

/// Checks what a request's span contains; metrics and logs have their own suites.
struct RequestObservationTests {
    let tracer = InMemoryTracer()

    func begin(
        _ method: HTTPRequest.Method = .get,
        url: String = "https://h:8443/private?private",
        _ change: (inout HTTPRequest) -> Void = { _ in }
    ) throws -> (observation: RequestObservation, request: HTTPRequest) {
        let observer = try #require(RequestObserver(CurlObservability(tracer: tracer)))
        var request = try HTTPRequest(method, url: url, headerFields: [.authorization: "private"])
        change(&request)
        return (try #require(observer.begin(&request)), request)
    }

    func span() throws -> FinishedInMemorySpan {
        #expect(tracer.activeSpans.isEmpty)
        #expect(tracer.finishedSpans.count == 1)
        return try #require(tracer.finishedSpans.first)
    }

    @Test func `A span has the attributes of the conventions, and no path`() throws {
        let (observation, _) = try begin(.post)
        observation.receive(HTTPResponse(status: .ok), version: "2")
        observation.end()
        let span = try span()
        #expect(span.operationName == "POST")
        #expect(span.kind == .client)
        #expect(
            span.attributes == [
                "http.request.method": "POST", "server.address": "h", "server.port": 8443, "url.scheme": "https",
                "http.response.status_code": 200, "network.protocol.version": "2",
            ]
        )
        #expect(span.status == nil)
        #expect(!"\(span)".contains("private"))
    }

    @Test(
        arguments: [(200, nil), (302, nil), (399, nil), (400, "400"), (404, "404"), (503, "503")] as [(Int, String?)]
    )
    func `A reply from 400 on is an error`(status: Int, error: String?) throws {
        let (observation, _) = try begin()
        observation.receive(HTTPResponse(status: .init(code: status)))
        observation.end()
        let span = try span()
        #expect(span.attributes.get("error.type") == error.map { .string($0) })
        #expect((span.status?.code == .error) == (error != nil))
    }

    private struct Foreign: Error { let secret = "private" }

    static let failures: [(error: any Error, type: String, isRecorded: Bool)] = [
        (CurlError(.tls, "h: no"), "tls", true), (CurlError(.timeout, "h: late", wasSent: true), "timeout", true),
        (CancellationError(), "cancelled", false), (Foreign(), "_OTHER", false),
    ]

    @Test(arguments: failures.indices)
    func `A failure ends the span, without foreign text`(index: Int) throws {
        let (error, type, isRecorded) = Self.failures[index]
        let (observation, _) = try begin()
        observation.end(throwing: error)
        let span = try span()
        #expect(span.attributes.get("error.type") == .string(type))
        #expect(span.attributes.get("http.response.status_code") == nil)
        #expect(span.status?.code == .error)
        #expect(span.errors.count == (isRecorded ? 1 : 0))
        #expect(!"\(span)".contains("private"))
    }

    @Test func `The span ends once, as it ended first`() throws {
        var (observation, _): (RequestObservation?, HTTPRequest) = try begin()
        observation?.receive(HTTPResponse(status: .ok))
        observation?.end(throwing: CancellationError())
        observation?.end()
        observation?.end(throwing: CurlError(.tls, ""))
        observation = nil
        #expect(try span().attributes.get("error.type") == .string("cancelled"))
    }

    @Test func `Of several concurrent ends one counts`() async throws {
        let counter = SpanCounter()
        let observer = try #require(RequestObserver(CurlObservability(tracer: counter)))
        for _ in 0..<50 {
            var request = try HTTPRequest(.get, url: "http://h/")
            let observation = observer.begin(&request)
            await withTaskGroup { group in
                for _ in 0..<8 { group.addTask { observation?.end() } }
            }
        }
        #expect(counter.ends == 50)
    }

    @Test(arguments: [false, true])
    func `A dropped observation ends its span, and is not a fault`(isAbandoned: Bool) throws {
        var (observation, _): (RequestObservation?, HTTPRequest) = try begin()
        observation?.receive(HTTPResponse(status: .ok))
        #expect(tracer.activeSpans.count == 1)
        if isAbandoned {
            observation?.abandon()
            #expect(tracer.activeSpans.isEmpty)
            observation?.end(throwing: CancellationError())
        }
        observation = nil
        let span = try span()
        #expect(span.attributes.get("error.type") == .string("abandoned"))
        #expect(span.status == nil)
    }

    @Test func `Retries and redirects are counted, and the last reply counts`() throws {
        let (observation, _) = try begin()
        observation.receive(HTTPResponse(status: .serviceUnavailable), version: "1.1")
        observation.resend()
        observation.receive(HTTPResponse(status: .found), version: "1.1")
        observation.resend()
        observation.end(throwing: CurlError(.connect, "h: no"))
        let attributes = try span().attributes
        #expect(attributes.get("http.request.resend_count") == .int64(2))
        #expect(attributes.get("http.response.status_code") == nil)
        #expect(attributes.get("network.protocol.version") == nil)
        #expect(attributes.get("error.type") == .string("connect"))
    }

    @Test func `The trace's context goes into the request, from the task's span`() throws {
        try tracer.withSpan("parent") { parent in
            let name = try #require(HTTPField.Name(InMemoryTracer.spanIDKey))
            let (observation, request) = try begin { $0.headerFields[name] = "stale" }
            observation.end()
            let child = try #require(tracer.finishedSpans.first)
            #expect(child.spanContext.parentSpanID == parent.spanContext.spanID)
            #expect(request.headerFields[values: name] == [child.spanContext.spanID])
            #expect(request.headerFields[.authorization] == "private")
        }
    }

    @Test func `An unknown method makes no new name`() throws {
        let method = try #require(HTTPRequest.Method("X-private"))
        try begin(method).observation.end()
        let span = try span()
        #expect(span.operationName == "HTTP")
        #expect(span.attributes.get("http.request.method") == .string("_OTHER"))
    }

    @Test(arguments: ["user:private@h", "h/private", "h:private", ""])
    func `The address of a refused request is not reported`(authority: String) throws {
        let (observation, _) = try begin { $0.authority = authority }
        observation.end(throwing: CurlError(.invalidRequest, "no", wasSent: false))
        let span = try span()
        #expect(span.attributes.get("server.address") == nil)
        #expect(!"\(span)".contains("private"))
    }
}

/// A tracer that counts each end, whereas the in-memory tracer ignores a second one.
private final class SpanCounter: Tracer {
    private let counter = Mutex(0)

    var ends: Int { counter.withLock { $0 } }

    func startSpan(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> some TracerInstant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> CountedSpan {
        CountedSpan(context: context()) { self.counter.withLock { $0 += 1 } }
    }

    func forceFlush() {}
    func inject<Carrier, Inject: Injector>(_: ServiceContext, into: inout Carrier, using: Inject)
    where Inject.Carrier == Carrier {}
    func extract<Carrier, Extract: Extractor>(_: Carrier, into: inout ServiceContext, using: Extract)
    where Extract.Carrier == Carrier {}
}

private struct CountedSpan: Span {
    let context: ServiceContext
    let onEnd: @Sendable () -> Void
    var operationName: String {
        get { "" }
        nonmutating set {}
    }
    var attributes: SpanAttributes {
        get { [:] }
        nonmutating set {}
    }
    var isRecording: Bool { true }
    func setStatus(_: SpanStatus) {}
    func addEvent(_: SpanEvent) {}
    func recordError(_: any Error, attributes: SpanAttributes, at: @autoclosure () -> some TracerInstant) {}
    func addLink(_: SpanLink) {}
    func end(at: @autoclosure () -> some TracerInstant) { onEnd() }
}
#endif
