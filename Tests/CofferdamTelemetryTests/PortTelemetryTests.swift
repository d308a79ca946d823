#if Telemetry
import Cofferdam
import CofferdamTelemetry
import CoreMetrics
import InMemoryTracing
import MetricsTestKit
import Testing
import Tracing

/// A port as an adopter writes it.
private protocol Rates: Sendable {
    func rate(of currency: String) async throws -> Double
    func changes() -> PortEvents<Double>
}

private enum RatesOperations {
    static let rate = PortOperation<any Rates, String, Double>("rate", .read) { try await $0.rate(of: $1) }
    static let changes = StreamingOperation<any Rates, Void, Double>("changes") { $0.changes() }
}

extension Intercepted: Rates where Port == any Rates {
    fileprivate func rate(of currency: String) async throws -> Double {
        try await call(RatesOperations.rate, currency) { try await $0.rate(of: $1) }
    }
    fileprivate func changes() -> PortEvents<Double> { stream(RatesOperations.changes) }
}

private struct RatesError: Error {
    let code: String
    let text = "private"
}

private struct FixedRates: Rates {
    var answer: @Sendable (String) throws -> Double = { _ in 1.1 }
    var events: [Double] = []
    var end: RatesError?

    func rate(of currency: String) async throws -> Double { try answer(currency) }

    func changes() -> PortEvents<Double> {
        AsyncThrowingStream { stream in
            for event in events { stream.yield(event) }
            stream.finish(throwing: end)
        }
    }
}

@Suite struct PortTelemetryTests {
    private let metrics = TestMetrics()
    private let tracer = InMemoryTracer()

    private func observed(_ rates: any Rates, side: Side? = .candidate, stage: String? = "canary") -> any Rates {
        let telemetry = PortTelemetry(
            side: side,
            metrics: metrics,
            tracer: tracer,
            stage: { stage },
            errorType: { ($0 as? RatesError)?.code }
        )
        return Intercepted(rates, by: [telemetry])
    }

    private func dimensions(
        _ operation: String,
        _ outcome: String,
        _ error: String = "none",
        side: String = "candidate",
        stage: String = "canary"
    ) -> [(String, String)] {
        [("operation", operation), ("side", side), ("stage", stage), ("outcome", outcome), ("error.type", error)]
    }

    private func span() throws -> FinishedInMemorySpan {
        #expect(tracer.activeSpans.isEmpty)
        #expect(tracer.finishedSpans.count == 1)
        return try #require(tracer.finishedSpans.first)
    }

    @Test func `an answer has a span and a duration, with operation, side and stage`() async throws {
        #expect(try await observed(FixedRates()).rate(of: "EUR") == 1.1)
        let span = try span()
        #expect(span.operationName == "rate")
        #expect(span.attributes == ["port.side": "candidate", "port.stage": "canary", "port.outcome": "answered"])
        #expect(span.status == nil)
        let timer = try metrics.expectTimer("port.call.duration", dimensions("rate", "answered"))
        #expect(timer.values.count == 1)
        #expect(timer.displayUnit == .seconds)
    }

    @Test func `a failure is reported by its code, without its text`() async throws {
        let rates = observed(FixedRates { _ in throw RatesError(code: "timeout") })
        await #expect(throws: RatesError.self) { try await rates.rate(of: "EUR") }
        let span = try span()
        #expect(span.attributes.get("port.outcome") == "failed")
        #expect(span.attributes.get("error.type") == "timeout")
        #expect(span.status?.code == .error)
        #expect(span.errors.isEmpty)
        #expect(!"\(span)".contains("private"))
        #expect(
            try metrics.expectTimer("port.call.duration", dimensions("rate", "failed", "timeout")).values.count == 1
        )
    }

    @Test func `a cancelled call is not a failure, and an error without a name is reported as other`() async throws {
        let cancelled = observed(FixedRates { _ in throw CancellationError() })
        await #expect(throws: CancellationError.self) { try await cancelled.rate(of: "EUR") }
        #expect(try span().status == nil)
        #expect(try metrics.expectTimer("port.call.duration", dimensions("rate", "cancelled")).values.count == 1)
        struct Foreign: Error {}
        let foreign = observed(FixedRates { _ in throw Foreign() })
        await #expect(throws: Foreign.self) { try await foreign.rate(of: "EUR") }
        #expect(try metrics.expectTimer("port.call.duration", dimensions("rate", "failed", "_OTHER")).values.count == 1)
    }

    @Test func `before a router there is no side, and without an upgrade no stage`() async throws {
        _ = try await observed(FixedRates(), side: nil, stage: nil).rate(of: "EUR")
        #expect(try span().attributes == ["port.outcome": "answered"])
        let none = dimensions("rate", "answered", side: "none", stage: "none")
        #expect(try metrics.expectTimer("port.call.duration", none).values.count == 1)
    }

    @Test func `what a call does is within its span`() async throws {
        let tracer = tracer
        let rates = FixedRates { _ in
            tracer.startAnySpan("inner").end()
            return 2
        }
        _ = try await observed(rates).rate(of: "EUR")
        let spans = tracer.finishedSpans
        let (inner, outer) = (
            try #require(spans.first { $0.operationName == "inner" }),
            try #require(spans.first { $0.operationName == "rate" })
        )
        #expect(inner.parentSpanID == outer.spanID)
    }

    @Test func `a stream has its items counted, and a span until its end`() async throws {
        var heard: [Double] = []
        for try await change in observed(FixedRates(events: [1, 2, 3])).changes() { heard.append(change) }
        #expect(heard == [1, 2, 3])
        #expect(try span().attributes.get("port.outcome") == "answered")
        let items = [("operation", "changes"), ("side", "candidate"), ("stage", "canary")]
        #expect(try metrics.expectCounter("port.stream.items", items).totalValue == 3)
        #expect(try metrics.expectTimer("port.stream.duration", dimensions("changes", "answered")).values.count == 1)
    }

    @Test func `a failing stream is reported by its code`() async throws {
        let rates = observed(FixedRates(events: [1], end: RatesError(code: "revoked")))
        await #expect(throws: RatesError.self) { for try await _ in rates.changes() {} }
        #expect(try span().attributes.get("error.type") == "revoked")
    }

    @Test func `a consumer that leaves cancels the stream, and an unused stream never begins`()
        async throws
    {
        let rates = observed(FixedRates(events: [1, 2]))
        _ = rates.changes()
        #expect(tracer.finishedSpans.isEmpty && tracer.activeSpans.isEmpty)
        for try await change in rates.changes() {
            #expect(change == 1)
            break
        }
        #expect(try span().attributes.get("port.outcome") == "cancelled")
    }

    @Test func `with neither metrics nor a tracer it intercepts no call`() {
        let telemetry = PortTelemetry()
        #expect(!telemetry.intercepts(RatesOperations.rate.traits))
    }
}
#endif
