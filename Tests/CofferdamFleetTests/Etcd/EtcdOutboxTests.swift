#if Fleet
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport
import UpgradeTestSupport
@testable import CofferdamFleet

@Suite("What a receiver has not received", .needsEtcd, .timeLimit(.minutes(5)))
struct EtcdOutboxTests {
    private let plan: UpgradePlan

    init() throws { plan = try Readings.plan() }

    private static let capabilities = ["catalogue", "orders"]

    /// Makes entries of two capabilities in turn.
    private func move(_ numbers: Range<Int>, _ store: EtcdUpgradeStore) async throws {
        for number in numbers {
            let stage = Stage.canary(share: try #require(Share(tenThousandths: number)))
            let raise = UpgradeAction.override(operation: "o", stage: stage, despiteGate: true)
            let request = Requests.request(raise, id: "\(number)")
            _ = try await store.carryOut(request, for: Self.capabilities[number % 2], plan: plan)
        }
    }

    /// Receives what there is.
    private func receive(_ outbox: EtcdOutbox, limit: Int = 100) async throws -> [String] {
        var received: [String] = []
        while true {
            let entries = try await outbox.entries(limit: limit)
            guard !entries.isEmpty else { return received }
            for (revision, entry) in entries {
                received.append(entry.id)
                try await outbox.noteReceived(revision)
            }
        }
    }

    private func outbox(_ server: EtcdServer, _ receiver: String = "r", seconds: Int = 15) -> EtcdOutbox {
        EtcdOutbox(server.store(), receiver: receiver, capabilities: Self.capabilities, seconds: seconds)
    }

    @Test(arguments: [1, 2, 3, 100])
    func `everything comes once, in order, from a receiver's first day on`(limit: Int) async throws {
        try await EtcdServer.with { server in
            let (store, outbox) = (server.store(), outbox(server))
            try await move(0..<3, store)
            try await outbox.standing()
            #expect(try await receive(outbox, limit: limit) == [])
            try await move(3..<8, store)
            #expect(try await receive(outbox, limit: limit) == (3..<8).map { "\($0)" })
            #expect(try await receive(outbox, limit: limit) == [])
            try await move(8..<9, store)
            #expect(try await receive(outbox, limit: limit) == ["8"])
            #expect(try await self.outbox(server, "another").entries(limit: limit).isEmpty)
        }
    }

    @Test func `it is one server's turn, until that server is gone`() async throws {
        try await EtcdServer.with { server in
            let store = server.store()
            let (first, second) = (outbox(server, seconds: 4), outbox(server, seconds: 4))
            try await first.standing()
            try await move(0..<3, store)
            let entries = try await first.entries(limit: 100)
            #expect(entries.map(\.entry.id) == ["0", "1", "2"])
            try await first.noteReceived(entries[0].revision)
            #expect(try await second.entries(limit: 100).isEmpty)
            // The first one stops between sending the second entry and noting it.
            var taken: [(revision: Int64, entry: AuditEntry)] = []
            try await eventually("the other server's turn") {
                taken = try await second.entries(limit: 100)
                return !taken.isEmpty
            }
            #expect(taken.map(\.entry.id) == ["1", "2"])
            // It was only slow.
            await #expect(throws: UpgradeStoreError.self) { try await first.noteReceived(entries[1].revision) }
            #expect(try await first.entries(limit: 100).isEmpty)
            try await move(3..<4, store)
            #expect(try await receive(second) == ["1", "2", "3"])
        }
    }

    @Test func `a server that stops lets another one go on at once`() async throws {
        try await EtcdServer.with { server in
            let (first, second) = (outbox(server), outbox(server))
            try await first.standing()
            try await move(0..<2, server.store())
            let entries = try await first.entries(limit: 1)
            try await first.noteReceived(entries[0].revision)
            #expect(try await second.entries(limit: 1).isEmpty)
            try await first.endTurn()
            #expect(try await second.entries(limit: 1).map(\.entry.id) == ["1"])
            try await first.endTurn()
            #expect(try await first.entries(limit: 1).isEmpty)
        }
    }

    @Test func `a turn that an operator ends is over`() async throws {
        try await EtcdServer.with { server in
            let (first, second) = (outbox(server), outbox(server))
            try await first.standing()
            try await move(0..<1, server.store())
            let entries = try await first.entries(limit: 1)
            try #require(entries.count == 1)
            try await server.delete(EtcdKeys.receiver("r", prefix: "/apps/shop").turn)
            #expect(try await second.entries(limit: 1).map(\.entry.id) == ["0"])
            await #expect(throws: UpgradeStoreError.self) { try await first.noteReceived(entries[0].revision) }
            #expect(try await first.entries(limit: 1).isEmpty)
        }
    }
}
#endif
