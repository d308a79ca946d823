import CofferdamState
import CofferdamStore
import CofferdamTesting
import Foundation
import Testing
import TestSupport

/// Checks the code of the page of `CofferdamStore` about changes that are not confirmed yet.
@Suite struct PendingGuideTests {
    private struct Order: RenamableModel {
        var id: String
    }

    private struct Basket: StoreModel {
        var id: Int
        var isOrdered = false
    }

    private struct Shop: Sendable {
        let gate = TestGate()
        func place(_ draft: Order) async throws -> Order {
            await gate.pass()
            if draft.id == "refused" { throw TestError("refused") }
            return Order(id: "42")
        }
    }

    @Test(arguments: ["draft", "refused"])
    func `an order and its basket are shown at once, and become the service's or go`(id: String) async throws {
        let (shop, store) = (Shop(), Store())
        let orders = StoreList<Order>(in: store) { [Order(id: "1")] }
        try await orders.loadable.fetch()
        store.set(Basket(id: 1))
        // snippet: pending
        let placing = Mutation<Order, Order>(
            optimistically: { draft in
                [
                    orders.collection.insertOptimistically(draft),
                    store.changeOptimistically(Basket.self, id: 1) { basket in
                        var basket = basket
                        basket?.isOrdered = true
                        return basket
                    },
                ]
            },
            confirm: { draft, placed, writes in
                store.confirm(writes[0]) { update in
                    update.rename(Order.self, from: draft.id, to: placed.id)
                    update.upsert(placed, in: orders.collection)
                }
                writes[1].confirm()
            },
            finish: { _, _ in orders.loadable.invalidate() },
            perform: { draft in try await shop.place(draft) }
        )
        // end
        let task = Task { try await placing.run(Order(id: id)) }
        await until { shop.gate.arrivals == 1 }
        #expect(orders.loadable.snapshot.contents?.map(\.id) == ["1", id])
        #expect(store.model(Basket.self, id: 1)?.isOrdered == true)
        shop.gate.open()
        _ = await task.result
        #expect(orders.collection.elements.map(\.id) == (id == "refused" ? ["1"] : ["1", "42"]))
        #expect(store.model(Basket.self, id: 1)?.isOrdered == (id == "draft"))
        #expect(store.model(Order.self, id: "draft")?.id == (id == "draft" ? "42" : nil))
    }

    @Test func `the page shows this code`() throws {
        let guide = try Guide(
            "Sources/Kit/State/CofferdamStore/CofferdamStore.docc/CofferdamStore.md",
            codeIn: URL(filePath: #filePath).deletingLastPathComponent()
        )
        let block = try #require(guide.blocks.first { $0.name == "pending" })
        #expect(block.text == guide.snippets["pending"])
    }
}
