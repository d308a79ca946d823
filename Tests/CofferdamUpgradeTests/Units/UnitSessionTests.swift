import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Testing
import TestSupport
import UpgradeTestSupport

@Suite struct UnitSessionTests {
    @Test func `a raised stage takes effect at the next session, a lowered one at the next call`() async throws {
        let upgrade = try ZooUpgrade(.legacyOnly)
        try upgrade.control.move(to: .candidateOnly)
        try await upgrade.call(.read)
        #expect(upgrade.session.side == .legacy)
        #expect(upgrade.session.cutOver())
        try await upgrade.call(.read)
        try upgrade.control.move(to: .legacyOnly)
        try await upgrade.call(.read)
        try upgrade.control.move(to: .candidateOnly)
        try await upgrade.call(.read)
        #expect(upgrade.sides == ["legacy", "candidate", "legacy", "legacy"])
    }

    @Test(arguments: [Share.none, .all]) func `a session enters an epoch when it chooses its side in it`(
        _ share: Share
    ) async throws {
        let upgrade = try ZooUpgrade(.shadow(sample: .none))
        try await upgrade.call(.read)
        try upgrade.control.move(to: .canary(share: share))
        try await upgrade.call(.read)
        #expect(upgrade.session.cutOver())
        try await upgrade.call(.read)
        #expect(upgrade.calls.entries.map(\.hasEntered) == [true, false, true])
        #expect(upgrade.calls.entries.map(\.side) == [.legacy, .legacy, share == .all ? .candidate : .legacy])
    }

    @Test func `a unit crosses over only while no call is in flight`() async throws {
        let upgrade = try ZooUpgrade(.legacyOnly)
        let gate = TestGate()
        upgrade.legacy.respond { id in
            await gate.pass()
            return Animal(id: id, name: "")
        }
        let call = Task { try await upgrade.call(.read) }
        await until { gate.arrivals == 1 }
        try upgrade.control.move(to: .candidateOnly)
        #expect(!upgrade.session.cutOver())
        #expect(upgrade.session.inFlight == 1)
        gate.open()
        try await call.value
        #expect(upgrade.session.inFlight == 0)
        #expect(upgrade.session.cutOver())
        #expect(upgrade.session.side == .candidate)
    }

    @Test func `calls that begin while a unit crosses over are all on one side of it`() async throws {
        for _ in 0..<200 {
            let upgrade = try ZooUpgrade(.legacyOnly)
            try await upgrade.call(.read)
            try upgrade.control.move(to: .candidateOnly)
            let crossed = Log<Void>()
            let wrong = Log<String>()
            upgrade.legacy.respond { id in
                if !crossed.entries.isEmpty { wrong.add("legacy after the crossing") }
                return Animal(id: id, name: "")
            }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { _ = try? await upgrade.zoo.animal(1) } }
                group.addTask {
                    if upgrade.session.cutOver() { crossed.add(()) }
                }
            }
            #expect(wrong.entries.isEmpty)
        }
    }

    @Test(
        arguments: [
            (KillSwitch.Target.legacy, Stage.candidateOnly, Side.legacy), (.candidate, .legacyOnly, .candidate),
            (.freeze, .candidateOnly, .candidate), (.freeze, .legacyOnly, .legacy),
        ]
    )
    func `the kill switch wins at once`(target: KillSwitch.Target, stage: Stage, side: Side) async throws {
        let upgrade = try ZooUpgrade(stage)
        upgrade.control.override("animal", with: stage)
        upgrade.control.kill(KillSwitch(target, by: "amara", reason: "a drill"))
        try await upgrade.call(.read)
        #expect(upgrade.sides == [side.rawValue])
    }

    @Test func `no unit moves on while the stage is frozen`() throws {
        let control = StageControl(StageState(stage: .shadow(sample: 100)))
        let kill = KillSwitch(.freeze, by: "amara", reason: "release week")
        control.kill(kill)
        let error = #expect(throws: StageFrozen.self) { try control.move(to: .canary(share: 500)) }
        #expect(error?.description == "the stage is frozen by amara: release week")
        #expect(control.state.stage == .shadow(sample: 100))
        control.kill(nil)
        try control.move(to: .canary(share: 500))
        #expect(control.state.epoch == 1)
    }

    @Test(arguments: [nil, KillSwitch(.freeze, by: "kenji", reason: "no steps")])
    func `a cleared or frozen kill to the old side leaves no unit on the candidate`(
        next: KillSwitch?
    ) throws {
        let control = StageControl(StageState(stage: .candidateOnly, epoch: 4))
        control.kill(KillSwitch(.legacy, by: "kenji", reason: "orders are lost"))
        #expect(control.state.stage() == .legacyOnly)
        control.kill(next)
        #expect(control.state.stage() == .legacyOnly)
        #expect(control.state.epoch == 5)
    }

    @Test(
        arguments: [
            (Stage.candidateOnly, KillSwitch.Target.legacy, Stage.legacyOnly, ["rename": Stage.legacyOnly]),
            (.legacyOnly, .legacy, .legacyOnly, ["rename": .legacyOnly]),
            (.candidateOnly, .candidate, .candidateOnly, ["rename": .legacyOnly, "animal": .shadow(sample: .all)]),
            (
                .canary(share: 500), .freeze, .canary(share: 500),
                ["rename": .legacyOnly, "animal": .shadow(sample: .all)]
            ),
        ]
    )
    func `a cleared kill leaves single operations where a store's does`(
        stage: Stage,
        target: KillSwitch.Target,
        left: Stage,
        overrides: [String: Stage]
    ) throws {
        var before = StageState(stage: stage, epoch: 4)
        before.overrides = ["rename": .legacyOnly, "animal": .shadow(sample: .all)]
        let control = StageControl(before)
        control.kill(KillSwitch(target, by: "kenji", reason: "orders are lost"))
        #expect(control.state.overrides == before.overrides, "while it is pulled it wins over them")
        control.kill(nil)
        #expect(control.state.stage == left)
        #expect(control.state.overrides == overrides)

        var state = UpgradeState(capability: "zoo", since: 0)
        (state.stage, state.epoch, state.overrides) = (before.stage, before.epoch, before.overrides)
        var stored = StoredUpgrade(state: state)
        for action in [UpgradeAction.kill(target), .resume] {
            stored = try stored.applying(Requests.request(action, id: "\(action.name)"), plan: Readings.plan()).after
        }
        #expect(control.state == stored.routing)
    }

    @Test func `one operation may have a stage of its own`() async throws {
        let upgrade = try ZooUpgrade(.candidateOnly)
        upgrade.control.override("rename", with: .legacyOnly)
        try await upgrade.call(.read)
        try await upgrade.call(.write)
        upgrade.control.override("rename", with: nil)
        try await upgrade.call(.write)
        #expect(upgrade.sides == ["candidate", "legacy", "candidate"])
    }

    @Test func `with separate data none may, or its writes would part from its reads`() async throws {
        let upgrade = try ZooUpgrade(.candidateOnly, dataOwnership: .separate)
        upgrade.control.override("rename", with: .legacyOnly)
        upgrade.control.override("animal", with: .legacyOnly)
        try await upgrade.call(.write)
        try await upgrade.call(.read)
        #expect(upgrade.sides == ["candidate", "candidate"])
    }

    @Test func `a unit that was admitted at a small share is admitted at a larger one`() throws {
        let bucketing = try Bucketing(salt: "zoo")
        func admitted(_ share: Share) -> Set<Int> {
            Set(
                (0..<500).filter { index in
                    let control = StageControl(StageState(stage: .canary(share: share)))
                    return UnitSession(unit: "keeper \(index)", control: control, bucketing: bucketing).side
                        == .candidate
                }
            )
        }
        let (few, many) = (admitted(500), admitted(2000))
        #expect(few.isSubset(of: many))
        #expect((10...50).contains(few.count))
        #expect((60...140).contains(many.count))
    }
}
