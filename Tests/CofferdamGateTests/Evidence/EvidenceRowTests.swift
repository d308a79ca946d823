import Cofferdam
import CofferdamSupport
import Foundation
import Testing

@testable import CofferdamGate

/// The law of rows, and the text of their marks.
@Suite struct EvidenceRowTests {
    private typealias State = EvidenceRow.State

    /// A program of merges: rows of a few units, in any order, with any repeats.
    private static func program(_ random: inout SplitMix64) -> [EvidenceRow] {
        var rows: [EvidenceRow] = []
        for _ in 0..<200 {
            if let repeated = rows.randomElement(using: &random), Int.random(in: 0..<4, using: &random) == 0 {
                rows.append(repeated)
                continue
            }
            let tally = EvidenceTally.ofCalls.randomElement(using: &random) ?? .legacy
            let marks =
                tally == .comparisons
                ? Marks.outcome(ComparisonOutcome.allCases.randomElement(using: &random) ?? .match)
                    .union(Bool.random(using: &random) ? .expectation(Int.random(in: 0..<3, using: &random)) : .none)
                : Marks(bits: UInt32.random(in: 0..<64, using: &random))
            rows.append(
                EvidenceRow(
                    slot: .init(
                        unit: UInt64.random(in: 0..<8, using: &random),
                        tally: tally,
                        operation: UInt8.random(in: 0..<3, using: &random)
                    ),
                    state: State(
                        marks: marks,
                        began: Int64.random(in: 0..<100, using: &random),
                        isSettled: Int.random(in: 0..<8, using: &random) == 0
                    )
                )
            )
        }
        return rows
    }

    /// The counts of rows, counted anew.
    private static func fold(_ rows: [EvidenceRow.Slot: State]) -> UnitCounts {
        var counts = UnitCounts()
        for (slot, state) in rows {
            let cell = UnitCounts.Cell(tally: slot.tally, operation: slot.operation)
            counts.add(1, state.marks, \.begun, to: cell)
            if state.isSettled { counts.add(1, state.marks, \.settled, to: cell) }
        }
        return counts
    }

    private static func merge(_ row: EvidenceRow, _ rows: inout [EvidenceRow.Slot: State], _ counts: inout UnitCounts) {
        guard let change = State.merge(row.state, into: rows[row.slot], in: row.slot.tally) else { return }
        rows[row.slot] = change.after
        counts.apply(change, to: row.slot)
    }

    @Test func `the visits of a damaged file are those whose hour is possible`() throws {
        var counts = EvidenceCounts(EpochKey(stage: .candidateOnly), epoch: 1, series: "s")
        let slot = EvidenceRow.Slot(unit: 1, tally: .candidateVisits, operation: EvidenceNames.all)
        let state = State(marks: .none, began: 490_000 * VisitHour.milliseconds, isSettled: false)
        counts.units.apply(.init(before: nil, after: state), to: slot)
        let data = try JSONEncoder().encode(counts)
        var object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        var visits = try #require(object["visits"] as? [String: Any])
        for hour in [Int64.min, -1, .max] { visits["\(hour)"] = visits["490000"] }
        object["visits"] = visits
        let damaged = try JSONSerialization.data(withJSONObject: object)
        let copy = try JSONDecoder().decode(EvidenceCounts.self, from: damaged)
        #expect(Array(copy.units.visits.keys) == [490_000])
    }

    @Test(arguments: 0..<100)
    func `after any program of merges, counts are the fold, marks never shrink, and a settled row stands`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var (rows, counts): ([EvidenceRow.Slot: State], UnitCounts) = ([:], UnitCounts())
        let program = Self.program(&random)
        for row in program {
            let before = rows
            Self.merge(row, &rows, &counts)
            #expect(counts == Self.fold(rows))
            for (slot, state) in before {
                let after = rows[slot]
                #expect(after?.marks.union(state.marks) == after?.marks)
                #expect(after.map { $0.began <= state.began } == true)
                if state.isSettled { #expect(after == state) }
            }
        }
        let (last, counted) = (rows, counts)
        for row in last { Self.merge(EvidenceRow(slot: row.key, state: row.value), &rows, &counts) }
        #expect(rows == last && counts == counted, "what is known changes nothing")
    }

    @Test(arguments: 0..<50)
    func `without settled rows every order of a program ends in the same rows`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let program = Self.program(&random).map { row in
            var row = row
            row.state.isSettled = false
            return row
        }
        func rows(_ program: [EvidenceRow]) -> [EvidenceRow.Slot: State] {
            var (rows, counts): ([EvidenceRow.Slot: State], UnitCounts) = ([:], UnitCounts())
            for row in program { Self.merge(row, &rows, &counts) }
            return rows
        }
        #expect(rows(program.shuffled(using: &random)) == rows(program))
    }

    // MARK: Text

    @Test func `marks become text and back, and a text that this version does not know is a failure`() {
        var names = EvidenceNames()
        let calls = Marks.failed.union(.slow).union(names.mark(ofAnswer: "notFound", in: .candidate))
        #expect(names.texts(of: calls, in: .candidate) == ["answer=notFound", "failed", "slow"])
        #expect(names.marks(ofText: names.text(of: calls, in: .candidate), in: .candidate) == calls)
        #expect(names.marks(ofText: "", in: .legacy) == Marks.none)
        #expect(names.marks(of: ["flown", "slow"], in: .legacy) == Marks.failed.union(.slow))
        var compared = Marks.outcome(.expected).union(.candidateSlow).union(.outcome(.match))
        compared = names.mark(ofExpectation: "D5, new").map(compared.union) ?? compared
        #expect(compared.worst == .expected && compared.expectation == 0)
        #expect(names.marks(ofText: names.text(of: compared, in: .comparisons), in: .comparisons) == compared)
        #expect(names.marks(of: ["flown", "match"], in: .comparisons).worst == .mismatch)
        #expect(names.marks(ofText: "", in: .comparisons).worst == .mismatch, "a comparison has an outcome")
    }

    @Test(arguments: [
        ("HTTP 409", "HTTP_409"), ("a/b*c\u{1F}d", "a_b_c_d"), ("", "other"), ("käse", "k_se"),
        ("not.Found-1_x", "not.Found-1_x"),
    ]) func `a kind of answer is a label from where it arises`(kind: String, label: String) {
        var names = EvidenceNames()
        let marks = names.mark(ofAnswer: kind, in: .candidate)
        #expect(names.texts(of: marks, in: .candidate) == ["answer=\(label)"])
        #expect(names.mark(ofAnswer: label, in: .candidate) == marks)
        _ = names.mark(ofAnswer: String(repeating: "x", count: 100), in: .candidate)
        #expect(names.answers.last?.count == 64)
    }

    @Test func `every mark has a text of its own`() {
        var names = EvidenceNames()
        for tally in EvidenceTally.reported {
            let known = EvidenceNames.marks(in: tally).sorted()
            let marks = known.map { text in
                let outcome = tally == .comparisons ? [ComparisonOutcome.match.rawValue] : []
                return names.marks(of: outcome + [text], in: tally)
            }
            #expect(Set(marks).count == known.count)
            for (text, mark) in zip(known, marks) { #expect(names.texts(of: mark, in: tally).contains(text)) }
        }
    }

    @Test func `rows under other names are the same rows, and operations without a place are left out`() {
        var (one, other) = (EvidenceNames(), EvidenceNames())
        for kind in ["a", "b", "c"] { _ = one.mark(ofAnswer: kind, in: .legacy) }
        _ = other.mark(ofAnswer: "c", in: .legacy)
        for number in 0..<70 { _ = one.place(of: number < 62 ? "o\(number)" : "last") }
        for number in 0..<62 { _ = other.place(of: "o\(61 - number)") }
        let marks = one.mark(ofAnswer: "c", in: .legacy).union(.slow)
        func row(_ operation: String?) -> EvidenceRow {
            EvidenceRow(
                slot: .init(unit: 1, tally: .legacy, operation: one.place(of: operation) ?? 0),
                state: State(marks: marks, began: 1, isSettled: true)
            )
        }
        _ = other.place(of: "another")
        let adopted = other.adopt([row("o7"), row("last"), row(nil)], of: one)
        #expect(adopted.map { other.operation(at: $0.slot.operation) } == ["o7", nil])
        #expect(adopted.last?.slot.operation == EvidenceNames.all)
        for row in adopted { #expect(other.texts(of: row.state.marks, in: .legacy) == ["answer=c", "slow"]) }
    }
}
