import Cofferdam
import Testing

@testable import CofferdamUpgrade

@Suite struct WindowTallyTests {
    private static let failed = CallMarks(marks: .failed)
    private static let slow = CallMarks(marks: .slow)
    private static let fine = CallMarks(marks: [])

    private func tally(_ span: Duration = .seconds(600), capacity: Int = 1_000) -> WindowTally<CallMarks> {
        WindowTally(span: span, capacity: capacity)
    }

    @Test func `a unit is settled when its window has ended, with all that its calls came to`() {
        var tally = tally()
        tally.record(Self.fine, unit: 1, operation: 0, at: .zero)
        tally.record(Self.slow, unit: 1, operation: 0, at: .seconds(300))
        tally.record(Self.failed, unit: 1, operation: 0, at: .seconds(599))
        let both = CallMarks(marks: [.slow, .failed])
        #expect(tally.counts[0] == .init(begun: [both: 1], settled: [:]))
        tally.settle(until: .seconds(600))
        #expect(tally.counts[0] == .init(begun: [both: 1], settled: [both: 1]))
    }

    @Test func `a unit's calls after its window has ended do not count`() {
        var tally = tally()
        tally.record(Self.fine, unit: 1, operation: 0, at: .zero)
        tally.record(Self.failed, unit: 1, operation: 0, at: .seconds(600))
        #expect(tally.counts[0] == .init(begun: [Self.fine: 1], settled: [Self.fine: 1]))
    }

    @Test func `the end of its session ends a unit's windows, of all operations`() {
        var tally = tally()
        for operation in 0..<3 { tally.record(Self.fine, unit: 1, operation: operation, at: .zero) }
        tally.record(Self.fine, unit: 2, operation: 0, at: .zero)
        tally.end(1)
        #expect(tally.counts[0]?.settled == [Self.fine: 1])
        #expect(tally.counts[2]?.settled == [Self.fine: 1])
        tally.record(Self.failed, unit: 1, operation: 0, at: .seconds(1))
        #expect(tally.counts[0]?.begun == [Self.fine: 2])
    }

    /// Otherwise units that leave early would represent those that stay and fail.
    @Test func `units are settled in the order in which they came`() {
        var tally = tally()
        tally.record(Self.fine, unit: 1, operation: 0, at: .zero)
        for unit in 2...5 as ClosedRange<UInt64> {
            tally.record(Self.fine, unit: unit, operation: 0, at: .seconds(Int(unit)))
            tally.end(unit)
        }
        #expect(tally.counts[0] == .init(begun: [Self.fine: 5], settled: [:]))
        // Its session has ended, so it counts no further calls.
        tally.record(Self.failed, unit: 2, operation: 0, at: .seconds(10))
        #expect(tally.counts[0]?.begun == [Self.fine: 5])
        tally.record(Self.failed, unit: 1, operation: 0, at: .seconds(500))
        #expect(tally.counts[0] == .init(begun: [Self.fine: 4, Self.failed: 1], settled: [:]))
        tally.end(1)
        #expect(
            tally.counts[0] == .init(begun: [Self.fine: 4, Self.failed: 1], settled: [Self.fine: 4, Self.failed: 1])
        )
    }

    @Test func `a unit that stays delays the others no longer than its own window`() {
        var tally = tally()
        tally.record(Self.fine, unit: 1, operation: 0, at: .zero)
        tally.record(Self.fine, unit: 2, operation: 0, at: .seconds(1))
        tally.end(2)
        tally.settle(until: .seconds(600))
        #expect(tally.counts[0]?.settled == [Self.fine: 2])
    }

    @Test func `the memory is bounded whatever is recorded`() {
        var tally = tally(capacity: 100)
        for unit in 0..<UInt64(5_000) {
            tally.record(Self.fine, unit: unit, operation: 0, at: .seconds(Int(unit)))
            #expect(tally.remembered.settled <= 200 && tally.remembered.open <= 100)
        }
        for unit in 10_000..<UInt64(15_000) {
            tally.record(Self.fine, unit: unit, operation: 0, at: .seconds(5_000))
            #expect(tally.remembered.open <= 100)
        }
    }

    /// A simple model that keeps every call.
    @Test(arguments: 0..<20) func `it counts like a plain model`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        struct Slot: Hashable {
            var unit: UInt64
            var operation: Int
        }
        let span = Duration.seconds(20)
        var tally = tally(span)
        var model: [Slot: (order: Int, end: Duration, outcome: CallMarks)] = [:]
        var now = Duration.zero
        for _ in 0..<2_000 {
            now += .milliseconds(Int.random(in: 0...100, using: &random))
            let slot = Slot(
                unit: UInt64.random(in: 0..<200, using: &random),
                operation: Int.random(in: 0..<3, using: &random)
            )
            if Int.random(in: 0..<20, using: &random) == 0 {
                tally.end(slot.unit)
                for (key, window) in model where key.unit == slot.unit { model[key]?.end = min(window.end, now) }
                continue
            }
            let marks = CallMarks(marks: CallMarks.Marks(rawValue: UInt8.random(in: 0...3, using: &random)))
            tally.record(marks, unit: slot.unit, operation: slot.operation, at: now)
            if let window = model[slot] {
                if now < window.end { model[slot]?.outcome.merge(marks) }
            } else {
                model[slot] = (model.count, now + span, marks)
            }
        }
        tally.settle(until: now)
        var counts: [Int: WindowTally<CallMarks>.Counts] = [:]
        for (slot, window) in model {
            counts[slot.operation, default: .init()].begun[window.outcome, default: 0] += 1
        }
        // In order of arrival, up to the first open window.
        for (slot, window) in model.sorted(by: { $0.value.order < $1.value.order }) {
            guard window.end <= now else { break }
            counts[slot.operation, default: .init()].settled[window.outcome, default: 0] += 1
        }
        #expect(tally.counts == counts)
    }
}
