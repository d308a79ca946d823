import Cofferdam
import CofferdamSupport
import CofferdamStore
import Testing
import TestSupport

@Suite struct ListDifferenceTests {
    /// A pair of lists. Each letter is an element; its capital form has the same id and a different value.
    struct Case: Sendable, CustomTestStringConvertible {
        var old: String
        var new: String
        var removals: [Int] = []
        var insertions: [Int] = []
        var moves: [[Int]] = []
        var updates: [[Int]] = []

        var testDescription: String { "\(old) → \(new)" }
    }

    private struct Letter: Identifiable, Equatable {
        var id: String
        var isCapital: Bool
    }

    private static func letters(_ text: String) -> [Letter] {
        text.map { Letter(id: $0.lowercased(), isCapital: $0.isUppercase) }
    }

    @Test(arguments: [
        Case(old: "", new: ""),
        Case(old: "abc", new: "abc"),
        Case(old: "", new: "ab", insertions: [0, 1]),
        Case(old: "ab", new: "", removals: [0, 1]),
        Case(old: "abc", new: "abcd", insertions: [3]),
        Case(old: "abc", new: "zabc", insertions: [0]),
        Case(old: "abcd", new: "acd", removals: [1]),
        Case(old: "abc", new: "aBc", updates: [[1, 1]]),
        Case(old: "abcd", new: "bcda", moves: [[0, 3]]),
        Case(old: "abcd", new: "dabc", moves: [[3, 0]]),
        Case(old: "abcd", new: "Dabc", moves: [[3, 0]], updates: [[3, 0]]),
        Case(old: "abcde", new: "xCeaf", removals: [1, 3], insertions: [0, 4], moves: [[0, 3]], updates: [[2, 1]]),
        // Elements with the same id are paired in order; unpaired ones are removed or inserted.
        Case(old: "aba", new: "aab", moves: [[2, 1]]),
        Case(old: "baa", new: "ca", removals: [0, 2], insertions: [0]),
        Case(old: "a", new: "aaa", insertions: [1, 2]),
        Case(old: "aAa", new: "aaA", updates: [[1, 1], [2, 2]]),
    ])
    func `it names removed, new, moved and updated elements`(_ row: Case) {
        let (old, new) = (Self.letters(row.old), Self.letters(row.new))
        let difference = ListDifference(from: old, to: new)
        #expect(difference.removals == row.removals)
        #expect(difference.insertions.map(\.index) == row.insertions)
        #expect(difference.moves.map { [$0.from, $0.to] } == row.moves)
        #expect(difference.updates.map { [$0.from, $0.to] } == row.updates)
        #expect(difference.isEmpty == (row.old == row.new))
        #expect(difference.applied(to: old) == new)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `applied to the old list it gives the new one, with the fewest moves`(_ seed: UInt64) {
        var dice = Dice(seed: seed)
        for _ in 0..<1000 {
            let (old, new) = (randomList(&dice), randomList(&dice))
            let difference = ListDifference(from: old, to: new)
            guard difference.applied(to: old) == new, difference.moves.count == fewestMoves(from: old, to: new) else {
                Issue.record("seed \(seed): \(old) → \(new): \(difference)")
                return
            }
        }
    }

    @Test func `a list of another length is refused`() {
        let difference = ListDifference(from: Self.letters("abc"), to: Self.letters("cab"))
        #expect(difference.applied(to: Self.letters("ab")) == nil)
        #expect(difference.applied(to: Self.letters("abcd")) == nil)
    }

    @Test func `a list that is set in steps notifies with the fewest steps`() {
        let log = Log<CollectionChange>()
        let list = StoreCollection([0, 1, 2, 3, 4].map { Part(id: $0, value: 0) }, in: Store())
        let token = list.listen { log.add($0.value.change) }
        list.set([5, 1, 2, 4, 3].map { Part(id: $0, value: $0 == 2 ? 1 : 0) }, inSteps: true)
        #expect(list.elements.map(\.id) == [5, 1, 2, 4, 3])
        #expect(
            log.entries.last
                == .steps([.remove(at: 4), .remove(at: 0), .insert(at: 0), .insert(at: 3), .update(at: 2)])
        )
        list.set([Part(id: 1, value: 0)])
        #expect(log.entries.last == .reset)
        token.cancel()
    }

    private func randomList(_ dice: inout Dice) -> [Part] {
        let ids = 1 + dice.roll(12)
        return (0..<dice.roll(12)).map { _ in Part(id: dice.roll(ids), value: dice.roll(2)) }
    }

    /// Returns the number of common elements that are not in the longest common subsequence.
    private func fewestMoves(from old: [Part], to new: [Part]) -> Int {
        var left = old.map { Optional($0.id) }
        var sources: [Int] = []
        for part in new {
            guard let index = left.firstIndex(of: part.id) else { continue }
            sources.append(index)
            left[index] = nil
        }
        var lengths: [Int] = []
        for (place, source) in sources.enumerated() {
            lengths.append(
                1 + (sources[..<place].indices.filter { sources[$0] < source }.map { lengths[$0] }.max() ?? 0)
            )
        }
        return sources.count - (lengths.max() ?? 0)
    }
}
