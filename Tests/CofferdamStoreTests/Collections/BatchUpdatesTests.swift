import Cofferdam
import CofferdamSupport
import CofferdamStore
import Testing
import TestSupport

@Suite struct BatchUpdatesTests {
    /// Applies batch updates as UIKit documents it, to the elements that a list view shows: a batch deletes by the old indices,
    /// the greatest first, and then inserts by the new ones, the smallest first. A move does both. What is new, or reloaded
    /// in the batch after it, is asked of the data source.
    ///
    /// - Returns: nil where UIKit would throw an exception.
    private func shown(_ old: [Part], after updates: BatchUpdates, of dataSource: [Part]) -> [Part]? {
        let deleted = updates.deletes + updates.moves.map(\.from)
        let inserted = updates.inserts.map { ($0, nil) } + updates.moves.map { ($0.to, old[$0.from] as Part?) }
        guard Set(deleted).count == deleted.count, Set(inserted.map(\.0)).count == inserted.count,
            Set(updates.reloads).count == updates.reloads.count,
            old.count - deleted.count + inserted.count == dataSource.count
        else { return nil }
        var shown = old
        for index in deleted.sorted(by: >) {
            guard shown.indices.contains(index) else { return nil }
            shown.remove(at: index)
        }
        for (index, moved) in inserted.sorted(by: { $0.0 < $1.0 }) {
            guard index >= 0, index <= shown.count else { return nil }
            shown.insert(moved ?? dataSource[index], at: index)
        }
        for index in updates.reloads {
            guard shown.indices.contains(index) else { return nil }
            shown[index] = dataSource[index]
        }
        return shown
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `a list view that applies them shows the new list`(_ seed: UInt64) {
        var dice = Dice(seed: seed)
        for _ in 0..<2000 {
            let (old, new) = (randomList(&dice), randomList(&dice))
            let updates = ListDifference(from: old, to: new).batchUpdates
            guard shown(old, after: updates, of: new) == new else {
                Issue.record("seed \(seed): \(old) → \(new): \(updates)")
                return
            }
        }
    }

    @Test func `an element that moves and changes is moved in the batch and reloaded after it`() {
        let old = [1, 2, 3, 4].map { Part(id: $0, value: 0) }
        let new = [Part(id: 4, value: 1), Part(id: 1, value: 0), Part(id: 3, value: 5), Part(id: 9, value: 0)]
        let updates = ListDifference(from: old, to: new).batchUpdates
        #expect(updates.deletes == [1])
        #expect(updates.inserts == [3])
        #expect(updates.moves.map { [$0.from, $0.to] } == [[3, 0]])
        #expect(updates.reloads == [0, 2])
    }

    private func randomList(_ dice: inout Dice) -> [Part] {
        let ids = 1 + dice.roll(12)
        return (0..<dice.roll(12)).map { _ in Part(id: dice.roll(ids), value: dice.roll(2)) }
    }
}
