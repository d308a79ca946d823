import Cofferdam
import CofferdamContracts
import CofferdamTesting
import TestSupport
import Testing

@testable import CofferdamContracts
@testable import CofferdamTool
@testable import mytool

/// Checks tapes of writes and streams, which are repeated in an isolated world of the adapter.
struct TapeWorldTests {
    private static let quiet = ToolProgress { _ in }
    private let clock = TestClock()

    private func tooling(isIsolated: Bool = true, taking count: Int = 2) -> TapeTooling<any Till> {
        TapeTooling(
            calls: [
                TapedCall(TillOperations.total, on: { $0 }),
                TapedCall(
                    TillOperations.sell,
                    on: { $0 },
                    calls: [
                        Sale(customer: "amara", cents: 250), Sale(customer: "amara", cents: 100),
                        Sale(customer: "ben", cents: 70),
                    ]
                ),
                TapedCall(TillOperations.total, on: { $0 }),
                TapedCall(
                    TillOperations.sales,
                    on: { $0 },
                    calls: ["amara"],
                    taking: count,
                    within: .seconds(10),
                    clock: clock
                ),
            ],
            errors: ShelfErrorRecord.self,
            isIsolated: isIsolated
        )
    }

    /// Records one till, and makes the calls on another one.
    ///
    /// - Parameter silent: the till whose stream delivers too few elements, if any.
    private func lines(
        _ old: TillDouble,
        _ new: TillDouble,
        taking count: Int = 2,
        silent: TillDouble? = nil
    ) async throws -> [String] {
        let runner = TapeRunner(tooling(taking: count), adapters: [old.adapter, new.adapter])
        let passing = Task { [clock] in
            guard let silent else { return }
            await until { !silent.waiting.entries.isEmpty && clock.sleeperCount > 0 }
            clock.advance(by: .seconds(11))
        }
        let tape = try await runner.record(old.name, nil, Self.quiet)
        let report = try await runner.compare(tape, new.name, Self.quiet)
        passing.cancel()
        return report.drifts.map { drift in
            let values = [drift.legacy, drift.candidate].map { $0 ?? "nothing" }.joined(separator: " → ")
            return "\(drift.call) \(drift.path): \(values)"
        }
    }

    @Test func `on both adapters, writes are seen by the reads and streams after them`() async throws {
        let (old, new) = (TillDouble("v1"), TillDouble("v2"))
        #expect(try await lines(old, new) == [])
        #expect(new.sold.map(\.cents) == [250, 100, 70])
        // The world is emptied before each run, so a second run has the same result.
        #expect(try await lines(old, new) == [])
    }

    @Test func `a different effect shows in the answer, in the reads after it and in the stream`() async throws {
        let new = TillDouble("v2") { if $0.cents == 100 { $0.cents = 99 } }
        let lines = try await lines(TillDouble("v1"), new)
        #expect(
            lines == ["total result: 420 → 419", "sell result.cents: 100 → 99", "sales items[*].cents: 100 → 99"]
        )
    }

    @Test func `a stream with fewer elements, or another end, does not agree`() async throws {
        let silent = TillDouble("v2") { $0.customer = "nobody" }
        let silence = try await lines(TillDouble("v1"), silent, silent: silent)
        #expect(silence.filter { $0.hasPrefix("sales") }.count == 2, "\(silence)")
        let endless = TillDouble("v2")
        let open = try await lines(TillDouble("v1", end: .finish), endless, taking: 9, silent: endless)
        #expect(open == ["sales (end): its end → still open after 2"])
        let failure = TillDouble("v2", end: .failure(ShelfError(code: .unreachable)))
        let ended = try await lines(TillDouble("v1", end: .finish), failure, taking: 9)
        #expect(ended == [#"sales (end): its end → ShelfError: {"code":"unreachable"}"#])
        let other = TillDouble("v1", end: .failure(ShelfError(code: .failed)))
        #expect(
            try await lines(other, failure, taking: 9) == [#"sales error.record.code: "failed" → "unreachable""#]
        )
        #expect(
            try await lines(failure, TillDouble("v2", end: .failure(ShelfError(code: .unreachable))), taking: 9) == []
        )
    }

    @Test func `a stream that delivered nothing shows nothing`() async throws {
        let silent = TillDouble("v1") { $0.customer = "nobody" }
        let lines = try await lines(silent, TillDouble("v2"), silent: silent)
        #expect(lines.last == "sales (call): cancelled → not called: it had delivered nothing")
        let tape = Tape(title: "v1", entries: [])
        #expect(!TapeSummary(tape, of: "v1", in: "x").hasAnswers)
    }

    @Test func `nothing is written unless each adapter is described as having its own data`() async throws {
        let (old, new) = (TillDouble("v1"), TillDouble("v2"))
        let shared = TapeRunner(tooling(isIsolated: false), adapters: [old.adapter, new.adapter])
        let why = "it changes something, and the adapters are not described as isolated"
        await #expect(throws: TapeError(.unrecordable, why, subject: "sell")) {
            _ = try await shared.record("v1", nil, Self.quiet)
        }
        #expect(old.sold == [])
        // A tape of an isolated world is not repeated in a shared one.
        let tape = try await TapeRunner(tooling(), adapters: [old.adapter]).record("v1", ["sell"], Self.quiet)
        #expect(tape.operations == ["sell", "sell", "sell"])
        let report = try await shared.compare(tape, "v2", Self.quiet)
        #expect(new.sold == [])
        #expect(report.drifts.map(\.candidate) == .init(repeating: "not called: \(why)", count: 3))
        #expect(!report.isGreen)
    }

    @Test func `a stream that is not recorded, or is no longer a stream, is not followed`() async throws {
        let till = TillDouble("v1")
        let unrecorded = TapedCall(TillOperations.unrecorded, on: { (till: any Till) in till }, calls: ["a"], taking: 1)
        let runner = TapeRunner(TapeTooling(calls: [unrecorded]), adapters: [till.adapter])
        await #expect(
            throws: TapeError(.unrecordable, "its table does not say how it is recorded", subject: "unrecorded")
        ) {
            _ = try await runner.record("v1", nil, Self.quiet)
        }
        var tape = try await TapeRunner(tooling(), adapters: [till.adapter]).record("v1", nil, Self.quiet)
        tape.entries = [tape.entries[0], tape.entries[5]]
        (tape.entries[0].operation, tape.entries[1].operation) = ("sales", "total")
        let report = try await TapeRunner(tooling(), adapters: [till.adapter]).compare(tape, "v1", Self.quiet)
        #expect(report.drifts.map(\.candidate) == ["not called: it is not a stream", "not called: it is a stream"])
    }
}
