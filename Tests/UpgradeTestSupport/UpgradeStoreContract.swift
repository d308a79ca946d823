package import CofferdamUpgrade
import Testing

/// The contract of every upgrade store, shared by their tests.
package struct UpgradeStoreContract {
    package let store: any UpgradeStore
    package let plan: UpgradePlan

    package init(_ store: any UpgradeStore) throws {
        self.store = store
        plan = try Readings.plan()
    }

    package func holds() async throws {
        try await nothingIsStoredAtFirst()
        try await aChangeIsStoredWithItsLine()
        try await whoIsSlowerChangesNothing()
        try await aRequestIsCarriedOutOnce()
        try await anIdBelongsToOneRequest()
        try await ofTwoWhoSawTheSameOneMoves()
        try await theKillSwitchStandsBesideTheState()
        try await capabilitiesDoNotMeet()
        try await textsOfAnyKindComeBack()
        try await ofManyAtOnceNoneIsLost()
    }

    private func carryOut(_ action: UpgradeAction, for capability: String, id: String) async throws -> StoredUpgrade {
        try await store.carryOut(Requests.request(action, id: id), for: capability, plan: plan)
    }

    package func nothingIsStoredAtFirst() async throws {
        #expect(try await store.read("unknown") == nil)
        #expect(try await store.entry("none", of: "unknown") == nil)
        #expect(try await store.history(of: "unknown", last: 10) == [])
    }

    package func aChangeIsStoredWithItsLine() async throws {
        let now = try await carryOut(.advance(despiteGate: true), for: "a", id: "a-1")
        #expect(now.state.stage == .shadow(sample: .all))
        #expect(now.state.entry == "a-1")
        #expect(now.revision > 0)
        #expect(try await store.read("a") == now)
        let line = try #require(try await store.entry("a-1", of: "a"))
        var request = Requests.request(.advance(despiteGate: true), id: "a-1")
        // A store with a time of its own gives it to the request.
        if store.wallTime != nil { request.at = line.request.at }
        #expect(line.request == request)
        #expect(line.before.stage == .legacyOnly)
        #expect(line.after.stage == .shadow(sample: .all))
        let later = try await carryOut(.abort, for: "a", id: "a-2")
        #expect(later.revision > now.revision)
        #expect(try await store.history(of: "a", last: 10).map(\.id) == ["a-2", "a-1"])
        #expect(try await store.history(of: "a", last: 1).map(\.id) == ["a-2"])
    }

    package func whoIsSlowerChangesNothing() async throws {
        let stored = StoredUpgrade(state: UpgradeState(capability: "b", since: 5))
        let first = try stored.applying(Requests.request(.advance(despiteGate: true), id: "b-1"), plan: plan)
        let second = try stored.applying(Requests.request(.kill(.freeze), id: "b-2"), plan: plan)
        let now = try #require(try await store.commit(first))
        #expect(try await store.commit(second) == nil)
        #expect(try await store.read("b") == now)
        #expect(try await store.entry("b-2", of: "b") == nil)
    }

    package func aRequestIsCarriedOutOnce() async throws {
        let once = try await carryOut(.advance(despiteGate: true), for: "c", id: "c-1")
        #expect(try await carryOut(.advance(despiteGate: true), for: "c", id: "c-1") == once)
        _ = try await carryOut(.abort, for: "c", id: "c-2")
        let later = try await carryOut(.advance(despiteGate: true), for: "c", id: "c-1")
        #expect(later.state.stage == .legacyOnly, "carried out before, and undone since")
        #expect(try await store.history(of: "c", last: 10).count == 2)
    }

    package func anIdBelongsToOneRequest() async throws {
        _ = try await carryOut(.kill(.freeze), for: "h", id: "deploy-42")
        for other in [UpgradeAction.kill(.legacy), .resume] {
            await #expect {
                try await carryOut(other, for: "h", id: "deploy-42")
            } throws: {
                ($0 as? UpgradeRefusal)?.code == .keyUsed
            }
        }
        await #expect {
            let request = Requests.request(.kill(.freeze), id: "deploy-42", by: "kenji")
            return try await store.carryOut(request, for: "h", plan: plan)
        } throws: {
            ($0 as? UpgradeRefusal)?.code == .keyUsed
        }
        #expect(try await store.read("h")?.kill?.target == .freeze)
    }

    package func ofTwoWhoSawTheSameOneMoves() async throws {
        let begun = try await carryOut(.advance(despiteGate: true), for: "i", id: "i-1")
        let results = await withTaskGroup(of: UpgradeRefusal?.self) { group in
            for number in 2...5 {
                group.addTask {
                    var request = Requests.request(.advance(despiteGate: true), id: "i-\(number)")
                    request.seen = .init(begun)
                    do { _ = try await store.carryOut(request, for: "i", plan: plan) } catch {
                        return error as? UpgradeRefusal
                    }
                    return nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let refused = results.compactMap(\.self)
        #expect(refused.map(\.code) == [.movedOn, .movedOn, .movedOn])
        #expect(refused.first?.message.contains("since you looked, it moved from shadow(10000)") == true)
        #expect(refused.first?.message.contains("by amara") == true)
        #expect(try await store.read("i")?.state.stage == .canary(share: 500))
    }

    package func theKillSwitchStandsBesideTheState() async throws {
        _ = try await carryOut(.advance(despiteGate: true), for: "d", id: "d-0")
        let before = try await carryOut(.advance(despiteGate: true), for: "d", id: "d-1")
        let killed = try await carryOut(.kill(.candidate), for: "d", id: "d-2")
        #expect(killed.kill == KillSwitch(.candidate, by: "amara", reason: "a test", seq: 1))
        #expect(killed.state.stage == before.state.stage)
        #expect(try await store.read("d") == killed)
        let again = try await carryOut(.kill(.legacy), for: "d", id: "d-3")
        #expect(again.kill?.seq == 2)
        let cleared = try await carryOut(.resume, for: "d", id: "d-4")
        #expect(cleared.kill == nil)
        #expect(cleared.state.stage == .legacyOnly, "units do not return by themselves")
        #expect(try await store.read("d") == cleared)
    }

    package func capabilitiesDoNotMeet() async throws {
        let one = try await carryOut(.advance(despiteGate: true), for: "e", id: "e-1")
        let other = try await carryOut(.kill(.freeze), for: "e/2", id: "e-2")
        #expect(try await store.read("e") == one)
        #expect(try await store.read("e/2") == other)
        #expect(try await store.entry("e-2", of: "e") == nil)
        #expect(try await store.history(of: "e", last: 10).map(\.id) == ["e-1"])
    }

    package func textsOfAnyKindComeBack() async throws {
        let decision = try Requests.decision(at: .shadow(sample: .all)) { $0.epoch = 1 }
        _ = try await carryOut(.advance(despiteGate: true), for: "ünïcode \"f\" 🦊", id: "f-1")
        let promoted = try await carryOut(.promote(decision), for: "ünïcode \"f\" 🦊", id: "f-2")
        #expect(promoted.state.stage == .canary(share: 500))
        let line = try #require(try await store.entry("f-2", of: "ünïcode \"f\" 🦊"))
        #expect(line.request.action.decision == decision)
        #expect(line.request.action.decision?.contradictions() == [])
    }

    /// Each concurrent change affects a different part, so that none may be lost.
    package func ofManyAtOnceNoneIsLost() async throws {
        let names = (0..<24).map { "operation \($0)" }
        try await withThrowingTaskGroup { group in
            for name in names {
                group.addTask {
                    let raise = UpgradeAction.override(operation: name, stage: .candidateOnly, despiteGate: true)
                    _ = try await carryOut(raise, for: "g", id: "g \(name)")
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.read("g")?.state.overrides.keys.sorted() == names.sorted())
        #expect(try await store.history(of: "g", last: 100).count == names.count)
    }
}
