#if Curl
import Cofferdam
import CofferdamCurl
import CoreMetrics
import HTTPTypes
import MetricsTestKit
import Testing

struct RequestMetricsTests {
    let metrics = TestMetrics()

    func observer(took duration: Duration = .milliseconds(5)) throws -> RequestObserver {
        let clock = TwoInstants(apart: duration)
        let observer = RequestObserver(CurlObservability(metrics: metrics)) { clock.read() }
        return try #require(observer)
    }

    @Test func `Duration and sizes are recorded by method and status`() throws {
        var request = try HTTPRequest(.put, url: "http://h/private")
        let observation = try #require(observer().begin(&request, bodySize: 3))
        observation.receive(HTTPResponse(status: .created))
        observation.end(bodySize: 7)
        let dimensions = [
            ("http.request.method", "PUT"), ("http.response.status_code", "201"), ("error.type", "none"),
        ]
        let timer = try metrics.expectTimer("http.client.request.duration", dimensions)
        #expect(timer.values == [5_000_000])
        #expect(timer.displayUnit == .seconds)
        #expect(try metrics.expectRecorder("http.client.request.body.size", dimensions).values == [3])
        #expect(try metrics.expectRecorder("http.client.response.body.size", dimensions).values == [7])
        #expect(!metrics.description.contains("private"))
        #expect(request == (try HTTPRequest(.put, url: "http://h/private")))
    }

    @Test func `A failure is recorded by its code, without unknown sizes`() throws {
        var request = try HTTPRequest(.get, url: "http://h/")
        try #require(observer().begin(&request)).end(throwing: CurlError(.dns, "h: none"))
        let dimensions = [
            ("http.request.method", "GET"), ("http.response.status_code", "none"), ("error.type", "dns"),
        ]
        #expect(try metrics.expectTimer("http.client.request.duration", dimensions).values.count == 1)
        #expect(metrics.recorders(label: "http.client.response.body.size").allSatisfy { $0.values.isEmpty })
    }

    @Test func `Requests in flight are counted up and down, however they end`() throws {
        let observer = try observer()
        var request = try HTTPRequest(.get, url: "http://h/")
        var running = try (0..<3).map { _ in try #require(observer.begin(&request)) }
        let meter = try metrics.expectMeter("http.client.active_requests", [("http.request.method", "GET")])
        #expect(meter.lastValue == 3)
        running[0].end()
        running[0].end()
        #expect(meter.lastValue == 2)
        running[1].end(throwing: CancellationError())
        #expect(meter.lastValue == 1)
        running = []
        #expect(meter.lastValue == 0)
        #expect(meter.values.count == 6)
    }

    @Test func `Hosts, methods and statuses cannot make unbounded dimensions`() throws {
        let observer = try observer()
        for number in 0..<100 {
            let method = try #require(HTTPRequest.Method("M\(number)"))
            var request = try HTTPRequest(method, url: "http://h\(number)/\(number)")
            let observation = try #require(observer.begin(&request))
            observation.receive(HTTPResponse(status: .init(code: 600 + number)))
            observation.end()
        }
        #expect(metrics.timers.count == 1)
        #expect(metrics.timers.first?.values.count == 100)
        #expect(metrics.meters.count == 1)
    }

    @Test(
        arguments: [(Duration.zero, 0), (.seconds(Int64.max), Int64.max), (.nanoseconds(1), 1)] as [(Duration, Int64)]
    )
    func `No duration overflows`(duration: Duration, expected: Int64) throws {
        var request = try HTTPRequest(.get, url: "http://h/")
        try #require(observer(took: duration).begin(&request)).end()
        #expect(metrics.timers.first?.values == [expected])
    }
}

/// A clock that shows one time when it is first read, and another one from then on.
final class TwoInstants: Sendable {
    private let reads = Mutex(0)
    private let start = ContinuousClock.now
    private let distance: Duration

    init(apart distance: Duration) { self.distance = distance }

    var count: Int { reads.withLock { $0 } }

    func read() -> ContinuousClock.Instant {
        reads.withLock { reads in
            reads += 1
            return reads == 1 ? start : start + distance
        }
    }
}
#endif
