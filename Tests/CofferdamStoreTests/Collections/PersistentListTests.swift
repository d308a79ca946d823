import Cofferdam
import CofferdamStore
import Testing

@Suite struct PersistentListTests {
    @Test(arguments: [0, 1, 63, 64, 65, 3000])
    func `it is the elements that it was made of`(_ count: Int) {
        let list = PersistentList(Array(0..<count))
        #expect(list.count == count)
        #expect(list.elementsEqual(0..<count))
        #expect(list.indices.allSatisfy { list[$0] == $0 })
        #expect(list.reversed().elementsEqual((0..<count).reversed()))
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `after any changes it is what an array is, and snapshots stay what they were`(_ seed: UInt64) throws {
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
}
