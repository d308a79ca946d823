import Cofferdam
import CofferdamSupport
import CofferdamStore
import Testing
import TestSupport

@Suite struct PersistentListTests {
    @Test(arguments: [0, 1, 63, 64, 65, 3000])
    func `it has the elements that it was created with`(_ count: Int) {
        let list = PersistentList(Array(0..<count))
        #expect(list.count == count)
        #expect(list.elementsEqual(0..<count))
        #expect(list.indices.allSatisfy { list[$0] == $0 })
        #expect(list.reversed().elementsEqual((0..<count).reversed()))
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `after any changes it equals an array, and snapshots do not change`(_ seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let store = Store()
        let list = StoreCollection<Part>(in: store)
        var array: [Part] = []
        var snapshots: [(list: PersistentList<Part>, array: [Part])] = []
        for step in 0..<3000 {
            let isGrowing = step % 1000 < 600
            if isGrowing || array.isEmpty {
                let (part, index) = (Part(id: step, value: 0), dice.roll(array.count + 1))
                try list.insert(part, at: index)
                array.insert(part, at: index)
            } else {
                let index = dice.roll(array.count)
                try list.remove(at: index)
                array.remove(at: index)
            }
            if step % 500 == 0 { snapshots.append((list.elements, array)) }
        }
        #expect(list.elements.elementsEqual(array))
        #expect(snapshots.allSatisfy { $0.list.elementsEqual($0.array) })
        for part in array.prefix(300) { store.set(Part(id: part.id, value: 1)) }
        #expect(list.elements.map(\.value) == array.indices.map { $0 < 300 ? 1 : 0 })
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `lists are equal if their elements are, whatever they share`(_ seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let list = StoreCollection((0..<500).map { Part(id: $0, value: 0) }, in: Store())
        var snapshots = [list.elements]
        var (equal, different) = (0, 0)
        for _ in 0..<400 {
            let index = dice.roll(list.elements.count)
            let element = list.elements[index]
            try list.remove(at: index)
            // Reinserts the element at its old index or near it, so that most of both lists is shared, or rebuilds the
            // list.
            try list.insert(element, at: min(list.elements.count, index + dice.roll(3) / 2))
            if dice.roll(10) == 0 { list.set(Array(list.elements.dropLast()) + [element]) }
            if dice.roll(10) == 0 { snapshots.append(PersistentList(Array(list.elements))) }
            snapshots.append(list.elements)
            for snapshot in snapshots.suffix(6) {
                let isEqual = Array(snapshot) == Array(list.elements)
                #expect((snapshot == list.elements) == isEqual && (list.elements == snapshot) == isEqual)
                if isEqual { equal += 1 } else { different += 1 }
            }
        }
        #expect(equal > 400 && different > 400)
        let few = [Part(id: 1, value: 0)]
        #expect(PersistentList(few) == PersistentList(few) && PersistentList(few) != PersistentList([Part]()))
        #expect(PersistentList([Part]()) == PersistentList([Part]()))
    }
}
