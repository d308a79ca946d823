import Foundation
import Testing
import UpgradeTestSupport

@testable import CofferdamUpgrade

/// Checks the list of named units in an upgrade's state, and what may change it.
@Suite struct NamedUnitsStateTests {
    private func after(_ action: UpgradeAction, _ stored: StoredUpgrade) throws -> StoredUpgrade {
        try stored.applying(Requests.request(action, id: "1"), plan: Readings.plan()).after
    }

    private func refusal(_ action: UpgradeAction, _ stored: StoredUpgrade) throws -> UpgradeRefusal? {
        do {
            _ = try after(action, stored)
            return nil
        } catch let error as UpgradeRefusal {
            return error
        }
    }

    private func stored(at stage: Stage, _ units: [String] = ["ada", "ben"]) throws -> StoredUpgrade {
        try after(.allow(units: units), Requests.stored(at: stage))
    }

    @Test(arguments: Readings.stages)
    func `a person changes the list at every stage, without a new epoch`(stage: Stage) throws {
        let first = try stored(at: stage)
        #expect(first.state.named.units == ["ada", "ben"])
        #expect(first.routing.named == ["ada", "ben"] && first.routing.servesNamed)
        let second = try after(.allow(units: ["cleo", "ada", "cleo"]), first)
        #expect(second.state.named.units == ["ada", "ben", "cleo"])
        let third = try after(.disallow(units: ["ada", "ben"]), second)
        #expect(third.state.named.units == ["cleo"])
        #expect([first, second, third].allSatisfy { $0.state.epoch == 3 && $0.state.stage == stage })
        let change = try second.applying(Requests.request(.disallow(units: ["ada"]), id: "2"), plan: Readings.plan())
        #expect(change.entry.before.named == 3 && change.entry.after.named == 2)
    }

    @Test(
        arguments: [
            ([], "no unit is given"), (["ada", ""], "a unit's name is empty"), ([" \t"], "a unit's name is empty"),
            (
                [String(repeating: "é", count: 129)],
                "the unit \(String(repeating: "é", count: 20))… has a name of 258 bytes, at most 256 are allowed"
            ),
            ((0...10_000).map { "u\($0)" }, "10001 units are named, at most 10000 are allowed"),
            (
                (0..<1_563).map { String(repeating: "n", count: 250) + "\($0 + 100_000)" },
                "the units' names have 400128 bytes together, at most 400000 are allowed"
            ),
        ] as [([String], String)]
    )
    func `bad input is refused with a reason`(_ units: [String], _ message: String) throws {
        let error = try refusal(.allow(units: units), Requests.stored(at: .legacyOnly))
        #expect(error == UpgradeRefusal(.invalidUnits, message))
    }

    @Test func `what is within the limits is accepted, and no more`() throws {
        let most = (0..<9_999).map { "u\($0)" } + [String(repeating: "n", count: 256)]
        let full = try stored(at: .legacyOnly, most)
        #expect(full.state.named.units.count == 10_000)
        #expect(try refusal(.allow(units: ["one more"]), full)?.code == .invalidUnits)
        #expect(try refusal(.disallow(units: []), full)?.code == .invalidUnits)
    }

    @Test func `adding a listed unit or removing an unlisted one is refused`() throws {
        let stored = try stored(at: .legacyOnly)
        let again = try refusal(.allow(units: ["ben"]), stored)
        #expect(again == UpgradeRefusal(.alreadyThere, "on the list already: ben"))
        // A typo must not look like a removal.
        let slip = try refusal(.disallow(units: ["ada", "bne"]), stored)
        #expect(slip == UpgradeRefusal(.alreadyThere, "not on the list: bne"))
        #expect(try refusal(.allow(units: ["cleo"]), after(.kill(.freeze), stored))?.code == .frozen)
        #expect(try after(.allow(units: ["cleo"]), after(.kill(.legacy), stored)).state.named.units.count == 3)
    }

    @Test(arguments: [Stage.shadow(sample: .all), .canary(share: 500), .candidateOnly])
    func `an abort sends named units back too, until the next step`(stage: Stage) throws {
        let back = try after(.abort, stored(at: stage))
        #expect(back.state.named.units == ["ada", "ben"])
        #expect(back.state.named.isHeldBack && !back.routing.servesNamed)
        #expect(try after(.disallow(units: ["ada"]), back).state.named.isHeldBack)
        #expect(try after(.advance(despiteGate: true), back).routing.servesNamed)
        #expect(try after(.disallow(units: ["ada", "ben"]), back).state.named == NamedUnits())
    }

    @Test func `a person may name units again before the next step: then all on the list are back`() throws {
        let back = try after(.abort, stored(at: .canary(share: 500)))
        for units in [["ada"], ["cleo"]] {
            let again = try after(.allow(units: units), back)
            #expect(again.routing.servesNamed)
            #expect(again.state.stage == .legacyOnly && again.state.waiting == .rolledBack)
            #expect(again.state.named.units.isSuperset(of: ["ada", "ben"]))
        }
    }

    @Test(
        arguments: [
            (Stage.legacyOnly, UpgradeAction.abort), (.legacyOnly, .rollBack(to: .legacyOnly)),
            (.shadow(sample: .all), .rollBack(to: .shadow(sample: .all))),
        ]
    )
    func `where only named units are on the candidate there is something to abort, once`(
        stage: Stage,
        action: UpgradeAction
    ) throws {
        let stored = try stored(at: stage)
        let back = try after(action, stored)
        #expect(!back.routing.servesNamed)
        #expect(back.state.stage == stage && back.state.epoch == stored.state.epoch && back.state.attempt == 1)
        #expect(try refusal(action, back)?.code == .alreadyThere)
        #expect(try refusal(action, Requests.stored(at: stage))?.code == .alreadyThere)
    }

    @Test func `going back to a canary leaves them where a canary unit is`() throws {
        let back = try after(.rollBack(to: .canary(share: 500)), stored(at: .candidateWithFallback))
        #expect(back.routing.servesNamed)
    }

    @Test(arguments: [Stage.legacyOnly, .canary(share: 500)])
    func `a kill to the old side that is cleared leaves them there`(stage: Stage) throws {
        var stored = try stored(at: stage)
        let control = StageControl(stored.routing)
        for (action, kill) in [
            (UpgradeAction.kill(.legacy), KillSwitch(.legacy, by: "amara", reason: "a test")), (.resume, nil),
        ] {
            stored = try after(action, stored)
            control.kill(kill)
            #expect(control.state == stored.routing)
        }
        #expect(!stored.routing.servesNamed)
    }

    // MARK: Persistence

    @Test func `the list is stored and read again, in a fixed order`() throws {
        let state = try stored(at: .canary(share: 500), (0..<50).map { "u\($0)" }).state
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(state)
        #expect(try JSONDecoder().decode(UpgradeState.self, from: data) == state)
        #expect(
            String(decoding: data, as: UTF8.self).contains(#""named":{"areHeldBack":false,"units":["u0","u1","u10","#)
        )
    }

    @Test func `an older state has no named units`() throws {
        let text = """
            {"attempt": 2, "capability": "a", "entry": "e7", "epoch": 6, "overrides": {"o": "legacyOnly"}, "since": 5,
            "stage": "canary(500)", "waiting": "undecided", "counting": 2}
            """
        let state = try JSONDecoder().decode(UpgradeState.self, from: Data(text.utf8))
        var expected = UpgradeState(capability: "a", since: 5)
        (expected.attempt, expected.entry, expected.epoch, expected.stage) = (2, "e7", 6, .canary(share: 500))
        (expected.overrides, expected.waiting, expected.counting) = (["o": .legacyOnly], .undecided, 2)
        #expect(state == expected)
        #expect(state.named == NamedUnits())
    }

    #if SQLite
    @Test func `an older directory has no named units, and keeps those that are added, with the log`() async throws {
        try await UpgradeFolder.with { folder in
            let old = """
                {"format": 2, "isKillFileCurrent": true, "revision": 7, "last": {
                  "after": {"attempt": 2, "epoch": 6, "stage": "canary(500)"}, "before": {"attempt": 2, "epoch": 5,
                  "stage": "shadow(10000)"}, "capability": "a", "request": {"action": {"advance": {"despiteGate": true}},
                  "at": 5000, "by": "amara", "id": "e7", "reason": "sure"}},
                 "state": {"attempt": 2, "capability": "a", "entry": "e7", "epoch": 6, "overrides": {}, "since": 5,
                  "counting": 2, "stage": "canary(500)"}}
                """
            try folder.write(old, to: "a/state.json")
            let store = try folder.store()
            #expect(try await store.read("a")?.state.named == NamedUnits())
            let request = Requests.request(.allow(units: ["ben", "ada"]), id: "2")
            _ = try await store.carryOut(request, for: "a", plan: Readings.plan())
            let again = try folder.store()
            #expect(try await again.read("a")?.state.named.units == ["ada", "ben"])
            let entry = try #require(try await again.history(of: "a", last: 1).first)
            #expect(entry.request == request)
            #expect(entry.before.named == nil && entry.after.named == 2)
        }
    }

    @Test func `an impossible list is not followed`() async throws {
        try await UpgradeFolder.with { folder in
            let store = try folder.store()
            let request = Requests.request(.allow(units: ["ada"]), id: "2")
            _ = try await store.carryOut(request, for: "a", plan: Readings.plan())
            let path = folder.path + "/a/state.json"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            try folder.write(text.replacing("\"ada\"\n", with: "\"ada\", \"\"\n"), to: "a/state.json")
            let error = await #expect(throws: UpgradeStoreError.self) { try await folder.store().read("a") }
            #expect(error?.code == .unreadable && error?.message == "a unit's name is empty")
        }
    }
    #endif
}
