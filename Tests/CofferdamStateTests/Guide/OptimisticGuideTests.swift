import Cofferdam
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

    private struct Draft: Codable, Sendable { var basket: String }

    private struct Refusal: Error {}

    private final class KnowingShop: Sendable {
        let isOnline = Mutex(false)
        func place(_ draft: Draft, key: String) async throws -> Order {
            guard isOnline.withLock({ $0 }) else { throw TestError("offline") }
            guard draft.basket == "1" else { throw Refusal() }
            return Order(id: key)
        }
    }

    @Test func `an order waits until the network is back`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { removeFolder(directory) }
        let (shop, user, log) = (KnowingShop(), "ada", Log<String>())
        let orders = Loadable<[Order]> { [] }
        // snippet: outbox
        let outbox = MutationOutbox<Draft, Order>(
            directory: directory,
            user: user,
            scope: { draft in draft.basket },
            optimistically: { entry in
                let order = Order(id: entry.key, isPending: true)
                return [orders.writeOptimistically { ($0 ?? []).upserting(order) }]
            },
            confirm: { _, placed, writes in
                for write in writes { orders.confirm(write) { ($0 ?? []).upserting(placed) } }
            },
            isFinal: { error in error is Refusal },
            tell: { notice in log.add("\(notice)") },
            perform: { entry in try await shop.place(entry.input, key: entry.key) }
        )
        try await outbox.open()
        try await outbox.add(Draft(basket: "1"))
        try await outbox.send()
        // end
        #expect(orders.snapshot.contents?.map(\.isPending) == [true] && log.entries.isEmpty)
        try await outbox.add(Draft(basket: "2"))
        shop.isOnline.withLock { $0 = true }
        try await outbox.send()
        #expect(orders.snapshot.contents?.map(\.isPending) == [false] && log.entries.count == 1)
    }

    @Test func `the guide shows this code`() throws {
        let guide = try Guide(
            "Sources/Kit/State/CofferdamState/CofferdamState.docc/ShowingOnScreens.md",
            codeIn: URL(filePath: #filePath).deletingLastPathComponent()
        )
        for name in ["optimistic", "outbox"] {
            let block = try #require(guide.blocks.first { $0.name == name })
            #expect(block.text == guide.snippets[name])
        }
    }
}
