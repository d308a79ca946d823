import Cofferdam
import CofferdamSupport
import Testing

@testable import CofferdamGate

@Suite struct OpenWindowsTests {
    private static let failed = Marks.failed
    private static let slow = Marks.slow
    private static let fine = Marks.none

    private func tally(_ span: Duration = .seconds(600), capacity: Int = 1_000) -> OpenWindows {
        OpenWindows(span: span, capacity: capacity)
    }

    @Test func `a unit is settled when its window has ended, with all that its calls came to`() {
        var tally = tally()
        tally.record(Self.fine, unit: 1, operation: 0, at: .zero)
        tally.record(Self.slow, unit: 1, operation: 0, at: .seconds(300))
        tally.record(Self.failed, unit: 1, operation: 0, at: .seconds(599))
        let both = Marks.slow.union(.failed)
        #expect(tally.counts[.candidate, 0] == .init(begun: [both: 1], settled: [:]))
        tally.settle(until: .seconds(600))
        #expect(tally.counts[.candidate, 0] == .init(begun: [both: 1], settled: [both: 1]))
    }

    @Test func `a unit's calls after its window has ended do not count`() {
        var tally = tally()
        tally.record(Self.fine, unit: 1, operation: 0, at: .zero)
        tally.record(Self.failed, unit: 1, operation: 0, at: .seconds(600))
        #expect(tally.counts[.candidate, 0] == .init(begun: [Self.fine: 1], settled: [Self.fine: 1]))
    }

    @Test func `the end of its session ends a unit's windows, of all operations`() {
        var tally = tally()
        for operation in 0..<UInt8(3) { tally.record(Self.fine, unit: 1, operation: operation, at: .zero) }
        tally.record(Self.fine, unit: 2, operation: 0, at: .zero)
        tally.end(1)
        #expect(tally.counts[.candidate, 0]?.settled == [Self.fine: 1])
        #expect(tally.counts[.candidate, 2]?.settled == [Self.fine: 1])
        tally.record(Self.failed, unit: 1, operation: 0, at: .seconds(1))
        #expect(tally.counts[.candidate, 0]?.begun == [Self.fine: 2])
    }

    /// Otherwise units that leave early would represent those that stay and fail.
    @Test func `units are settled in the order in which they came`() {
        var tally = tally()
        tally.record(Self.fine, unit: 1, operation: 0, at: .zero)
        for unit in 2...5 as ClosedRange<UInt64> {
            tally.record(Self.fine, unit: unit, operation: 0, at: .seconds(Int(unit)))
            tally.end(unit)
        }
        #expect(tally.counts[.candidate, 0] == .init(begun: [Self.fine: 5], settled: [:]))
        // Its session has ended, so it counts no further calls.
        tally.record(Self.failed, unit: 2, operation: 0, at: .seconds(10))
        #expect(tally.counts[.candidate, 0]?.begun == [Self.fine: 5])
        tally.record(Self.failed, unit: 1, operation: 0, at: .seconds(500))
        #expect(tally.counts[.candidate, 0] == .init(begun: [Self.fine: 4, Self.failed: 1], settled: [:]))
        tally.end(1)
        let all = [Self.fine: 4, Self.failed: 1]
        #expect(tally.counts[.candidate, 0] == .init(begun: all, settled: all))
    }

    @Test func `a unit that stays delays the others no longer than its own window`() {
        var tally = tally()
        tally.record(Self.fine, unit: 1, operation: 0, at: .zero)
        tally.record(Self.fine, unit: 2, operation: 0, at: .seconds(1))
        tally.end(2)
        tally.settle(until: .seconds(600))
        #expect(tally.counts[.candidate, 0]?.settled == [Self.fine: 2])
    }

    @Test func `its rows, merged in any portions, count what it counts`() throws {
        for portion in [1, 3, 100] {
            var (windows, rows, counts) = (tally(.seconds(5)), MemoryRows(), EvidenceCounts(.baseline, epoch: 0))
            windows.keepRows()
            for call in 0..<100 {
                let unit = UInt64(call * 7 % 10)
                windows.record(call % 9 == 0 ? Self.failed : Self.fine, unit: unit, operation: 0, at: .seconds(call))
                guard call % portion == 0 else { continue }
                var batch = EvidenceRows(.baseline, epoch: 0)
                batch.rows = (windows.unmerged ?? [:]).map { EvidenceRow(slot: $0.key, state: $0.value) }
                try counts.merge(batch, into: &rows)
                for row in batch.rows { windows.acknowledge(row) }
                #expect(windows.unmerged?.isEmpty == true)
                // Without names for the operations, only their numbers differ.
                let merged = counts.units.cells.values.map(\.begun)
                #expect(merged == windows.counts.cells.values.map(\.begun))
            }
        }
    }

    @Test func `a row that has changed since it was sent is sent again`() {
        var windows = tally()
        windows.keepRows()
        windows.record(Self.fine, unit: 1, operation: 0, at: .zero)
        let sent = (windows.unmerged ?? [:]).map { EvidenceRow(slot: $0.key, state: $0.value) }
        windows.record(Self.failed, unit: 1, operation: 0, at: .seconds(1))
        for row in sent { windows.acknowledge(row) }
        #expect(windows.unmerged?.values.map(\.marks) == [Self.failed])
        windows.dropRows()
        windows.record(Self.fine, unit: 2, operation: 0, at: .seconds(1))
        #expect(windows.unmerged == nil)
        #expect(windows.counts[.candidate, 0]?.begun == [Self.failed: 1, Self.fine: 1])
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
        var model: [Slot: (order: Int, end: Duration, outcome: Marks)] = [:]
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
            let marks = Marks(bits: UInt32.random(in: 0...3, using: &random))
            tally.record(marks, unit: slot.unit, operation: UInt8(slot.operation), at: now)
            if let window = model[slot] {
                if now < window.end { model[slot] = (window.order, window.end, window.outcome.union(marks)) }
            } else {
                model[slot] = (model.count, now + span, marks)
            }
        }
        tally.settle(until: now)
        var counts: [UInt8: UnitCounts.Counts] = [:]
        for (slot, window) in model {
            counts[UInt8(slot.operation), default: .init()].begun[window.outcome, default: 0] += 1
        }
        // In order of arrival, up to the first open window.
        for (slot, window) in model.sorted(by: { $0.value.order < $1.value.order }) {
            guard window.end <= now else { break }
            counts[UInt8(slot.operation), default: .init()].settled[window.outcome, default: 0] += 1
        }
        for operation in 0..<3 { #expect(tally.counts[.candidate, UInt8(operation)] == counts[UInt8(operation)]) }
    }
}

extension OpenWindows {
    fileprivate mutating func record(_ marks: Marks, unit: UInt64, operation: UInt8, at now: Duration) {
        record(marks, EvidenceRow.Slot(unit: unit, tally: .candidate, operation: operation), at: now)
    }
}
