import CofferdamState
import CofferdamTesting
import Foundation
import Testing
import TestSupport

/// Checks the code of "Showing values on screens" about changes that are not confirmed yet.
@Suite struct OptimisticGuideTests {
    private struct Order: Identifiable, Hashable, Sendable {
        var id: String
        var isPending = false
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
    func `an order is shown at once, and becomes the server's or goes`(id: String) async throws {
        let (shop, orders) = (Shop(), Loadable<[Order]> { [Order(id: "1")] })
        try await orders.fetch()
        // snippet: optimistic
        let placing = Mutation<Order, Order>(
            scope: MutationScope(),
            optimistically: { draft in
                [orders.writeOptimistically { ($0 ?? []).upserting(draft) }]
            },
            confirm: { _, placed, writes in
                for write in writes { orders.confirm(write) { ($0 ?? []).upserting(placed) } }
            },
            perform: { draft in try await shop.place(draft) }
        )
        // end
        let task = Task { try await placing.run(Order(id: id, isPending: true)) }
        await until { shop.gate.arrivals == 1 }
        #expect(orders.snapshot.contents?.map(\.id) == ["1", id])
        try await orders.fetch()
        #expect(orders.snapshot.contents?.map(\.id) == ["1", id], "an answer meanwhile changes nothing")
        shop.gate.open()
        _ = await task.result
        #expect(orders.snapshot.contents?.map(\.id) == (id == "refused" ? ["1"] : ["1", "42"]))
    }

    @Test func `the guide shows this code`() throws {
        let guide = try Guide(
            "Sources/Kit/State/CofferdamState/CofferdamState.docc/ShowingOnScreens.md",
            codeIn: URL(filePath: #filePath).deletingLastPathComponent()
        )
        let block = try #require(guide.blocks.first { $0.name == "optimistic" })
        #expect(block.text == guide.snippets["optimistic"])
    }
}
