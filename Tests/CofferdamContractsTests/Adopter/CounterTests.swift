import Cofferdam
import CofferdamContracts
import CofferdamTesting
import Testing

/// Counts the visits of a page and returns the count: a write that creates nothing.
private protocol Counters: Sendable {
    func visit(_ page: String) async throws -> Int
    func value(of page: String) -> Int
}

private enum CounterError: Error {
    case outcomeUnknown, unreachable
}

/// A vendor that does not use HTTP. Its connection simulates the faults.
private final class CounterServer: Sendable {
    let line = LineVendor()
    let values = Mutex<[String: Int]>([:])
    let isClosed = Mutex(false)

    struct Lost: Error {}
    /// The error for a fault that exists only in HTTP.
    struct NoHTTP: Error {}

    func increment(_ page: String) async throws -> Int {
        switch line.arrive() {
        case .reset, .emptyReply: throw Lost()
        case .hold:
            try await line.hold()
            if isClosed.withLock({ $0 }) { throw Lost() }
        case .some:
            _ = add(page)
            throw Lost()
        case nil: break
        }
        return add(page)
    }

    private func add(_ page: String) -> Int {
        values.withLock { values in
            values[page, default: 0] += 1
            return values[page, default: 0]
        }
    }
}

private struct ServerCounters: Counters {
    let server: CounterServer
    let clock: AdjustableClock
    /// The number of attempts that the adapter makes for one call.
    var attempts = 1
    var lost = CounterError.outcomeUnknown

    func visit(_ page: String) async throws -> Int {
        for attempt in 1...attempts {
            do {
                return try await withDeadline(.seconds(30), clock: clock) { try await server.increment(page) }
            } catch is CancellationError {
                throw CancellationError()
            } catch  where attempt == attempts {
                throw lost
            } catch {}
        }
        throw lost
    }

    func value(of page: String) -> Int { server.values.withLock { $0[page] ?? 0 } }
}

private struct CounterSubject: Sendable {
    var counters: any Counters
    let server: CounterServer
    let clock: AdjustableClock

    init(_ change: (inout ServerCounters) -> Void = { _ in }) {
        server = CounterServer()
        clock = AdjustableClock()
        var counters = ServerCounters(server: server, clock: clock)
        change(&counters)
        self.counters = counters
    }
}

private struct ReplacedCounters: Counters {
    let clean: any Counters
    let perform: @Sendable (String) async throws -> Int

    func visit(_ page: String) async throws -> Int { try await perform(page) }
    func value(of page: String) -> Int { clean.value(of: page) }
}

/// A counter is described as a write whose effects can be counted.
@Suite struct CounterTests {
    private static let visit = PortCall<CounterSubject, String, Int>(
        "visit",
        get: { $0.counters.visit },
        replace: { subject, perform in
            var subject = subject
            subject.counters = ReplacedCounters(clean: subject.counters, perform: perform)
            return subject
        }
    )

    private static let operation = WriteOperation<CounterSubject>(
        writes: [
            .init(
                ProbedCall(
                    AnyPortCall(visit, with: "front page"),
                    isReading: false,
                    inject: { subject, fault, times in
                        if fault.isHTTP { throw CounterServer.NoHTTP() }
                        subject.server.line.inject(fault, times: times)
                    },
                    arrivals: { $0.server.line.arrivals() },
                    waitForArrivals: { try await $0.server.line.waitForArrivals($1) }
                ),
                count: { $0.counters.value(of: "front page") }
            )
        ],
        prepare: { $0.server.line.reset() },
        held: HeldCalls(
            wait: { try await $0.server.line.waitForHeld($1) },
            release: { $0.server.line.release() }
        ),
        clearFaults: { subject in
            subject.server.line.reset()
            subject.server.line.release()
        },
        outlast: { subject in
            try await subject.clock.waitForSleeper(for: .seconds(24)...(.seconds(30)))
            subject.clock.advance(by: .seconds(31))
        },
        close: { subject in
            subject.server.isClosed.withLock { $0 = true }
            subject.server.line.release()
        },
        isOutcomeUnknown: { $0 as? CounterError == .outcomeUnknown },
        unreachable: CounterError.unreachable
    )

    private func adapter(
        _ change: @escaping @Sendable (inout ServerCounters) -> Void = { _ in }
    ) -> AdapterUnderTest<CounterSubject> {
        AdapterUnderTest(name: "counters") { CounterSubject(change) }
    }

    private func rows(on adapter: AdapterUnderTest<CounterSubject>) async -> [ContractReport.Row] {
        await ContractRunner(rules: Self.operation.rules, adapters: [adapter]).run().rows
    }

    @Test func `a counter that reports unknown outcomes and repeats nothing passes`() async {
        let rows = await rows(on: adapter())
        #expect(rows.map(\.id.description) == ["MUT-06 of visit on counters", "MUT-09 of visit on counters"])
        #expect(rows.filter { $0.outcome != .passed }.map { $0.detail ?? "" } == [])
    }

    @Test func `a counter that retries is caught by its count`() async throws {
        let row = try #require(await rows(on: adapter { $0.attempts = 2 }).first)
        #expect(row.outcome == .failed)
        let detail = row.detail ?? ""
        #expect(detail.contains("visit, connection reset: 2 calls"), "\(detail)")
        #expect(detail.contains("visit, truncated answer: done 2 times"), "\(detail)")
    }

    @Test func `a counter that reports a lost answer as a failure is caught`() async throws {
        let row = try #require(await rows(on: adapter { $0.lost = .unreachable }).last)
        #expect(row.outcome == .failed)
        #expect(row.detail?.contains("its time runs out: expected an unknown outcome") == true, "\(row.detail ?? "")")
    }

    @Test func `every mutant is killed without any HTTP fault`() async {
        let report = await MutationRunner(rules: Self.operation.rules, adapter: adapter()).run(Self.operation.mutants)
        #expect(report.problems == [])
        #expect(report.rows.map { $0.rule } == ["MUT-09", "MUT-06"])
    }
}
