import Cofferdam
import CofferdamState
import CofferdamStore
import Testing
import TestSupport

extension Part: RenamableModel {}

@Suite struct RenameTests {
    private let store = Store()
    private let draft = Part(id: -1, value: 1)
    private let placed = Part(id: 42, value: 2)

    @Test(arguments: [false, true], [false, true])
    func `a detail, a list and a nested model follow a temporary id`(isKnown: Bool, isPending: Bool) throws {
        let list = StoreCollection([Part(id: 7, value: 7)], in: store)
        let write = isPending ? list.insertOptimistically(draft) : nil
        if !isPending { list.append([draft]) }
        store.set(Item(id: 1, name: "", box: Box(id: 1, part: draft), spares: [draft]))
        // The service's own event may arrive before its answer.
        if isKnown { list.append([placed]) }
        let detail = Log<Part?>()
        let token = store.listen(Part.self, id: -1) { detail.add($0.value) }
        if let write {
            store.confirm(write) { [placed] update in
                update.rename(Part.self, from: -1, to: 42)
                update.upsert(placed, in: list)
            }
        } else {
            store.rename(Part.self, from: -1, to: 42)
            if !isKnown { #expect(store.model(id: 42) == Part(id: 42, value: 1)) }
            store.set(placed)
        }
        let item = Item(id: 1, name: "", box: Box(id: 1, part: placed), spares: [placed])
        #expect(Array(list.elements) == [Part(id: 7, value: 7), placed])
        #expect(store.model(id: 1) == item && detail.entries.last == placed)
        #expect(store.model(id: -1) == placed, "an old screen still asks for the old id")
        store.set(Part(id: 42, value: 3))
        #expect(detail.entries.last == Part(id: 42, value: 3))
        #expect(store.model(Item.self, id: 1)?.box.part.value == 3 && list.elements.last?.value == 3)
        store.set(draft)
        #expect(store.model(id: 42) == Part(id: 42, value: 1), "set with the old id, it has the new one")
        store.remove(Part.self, id: 42)
        #expect(detail.entries.last == .some(nil) && list.elements.map(\.id) == [7])
        #expect(store.model(Item.self, id: 1) == nil)
        store.set(placed)
        #expect(detail.entries.last == placed)
        token.cancel()
    }

    @Test func `a pending change of the temporary id follows too`() {
        let list = StoreCollection<Part>(in: store)
        let inserted = list.insertOptimistically(draft)
        let edited = store.changeOptimistically(Part.self, id: -1) { part in
            part.map { Part(id: $0.id, value: $0.value | 8) }
        }
        #expect(list.elements.map(\.value) == [9])
        store.confirm(inserted) { [placed] update in
            update.rename(Part.self, from: -1, to: 42)
            update.upsert(placed, in: list)
        }
        #expect(Array(list.elements) == [Part(id: 42, value: 10)])
        edited.rollBack()
        #expect(Array(list.elements) == [placed])
    }

    @Test func `a removal with the old id finds the model`() {
        let list = StoreCollection([draft], in: store)
        store.rename(Part.self, from: -1, to: 42)
        let removed = list.removeOptimistically(id: -1)
        #expect(list.elements.isEmpty)
        removed.rollBack()
        store.update { $0.remove(id: -1, in: list) }
        #expect(list.elements.isEmpty && store.model(Part.self, id: 42) != nil)
    }

    @Test func `names last until everything is removed`() {
        store.set(draft)
        store.rename(Part.self, from: -1, to: -2)
        store.rename(Part.self, from: -2, to: 42)
        #expect(store.model(Part.self, id: -1)?.id == 42 && store.model(Part.self, id: -2)?.id == 42)
        store.removeAll()
        store.set(draft)
        #expect(store.model(id: -1) == draft && store.model(Part.self, id: 42) == nil)
    }
}
