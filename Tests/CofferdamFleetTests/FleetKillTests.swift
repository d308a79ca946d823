#if Fleet
#if SQLite
import Cofferdam
import CofferdamSupport
import CofferdamTesting
import TestSupport
import UpgradeTestSupport
@testable import CofferdamFleet
import CofferdamUpgrade
import Foundation
import Testing

/// A kill in etcd takes effect on every connected instance within one second by the clock, whatever else fails
/// there.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: SmallDisk.isAvailable, SmallDisk.reason))
struct FleetKillTests {
    @Test(arguments: Soak.seeds)
    func `kills at random times are obeyed within a second by every connected instance`(
        seed: UInt64
    ) async throws {
        var dice = Dice(seed: seed)
        let clock = TestClock()
        let etcd = FakeEtcd(clock: clock)
        let person = etcd.store()
        let plan = try Readings.plan()
        for id in ["1", "2"] {
            let step = Requests.request(.advance(despiteGate: true), id: id)
            _ = try await person.carryOut(step, for: FleetInstance.capability, plan: plan)
        }
        var slowest: [FleetInstance.Fault: Duration] = [:]
        var kills = 0
        try await FleetInstance.with(FleetInstance.Fault.allCases, clock) { fault, disk in
            try FleetInstance(fault, store: etcd.store(), clock: clock, plan: plan, disk: disk)
        } body: { instances in
            for instance in instances { try await instance.begin() }
            var target: KillSwitch.Target?
            for round in 0..<20 {
                for _ in 0..<dice.roll(12) {
                    clock.advance(by: .milliseconds(500))
                    for _ in 0..<dice.roll(100) { await Task.yield() }
                }
                await until { etcd.watchers == instances.count }
                // An engine that lost its watch finds the kill when it starts the next one.
                if dice.roll(3) == 0 { etcd.cut() }
                let next = KillSwitch.Target.allCases.filter { $0 != target }[dice.roll(target == nil ? 3 : 2)]
                if dice.roll(2) == 0 {
                    let kill = #"{"target": "\#(next.rawValue)", "by": "amara", "seq": \#(round + 1)}"#
                    etcd.put("/a/\(FleetInstance.capability)/kill", kill)
                } else {
                    let kill = Requests.request(.kill(next), id: "kill \(round)")
                    _ = try await person.carryOut(kill, for: FleetInstance.capability, plan: plan)
                }
                kills += 1
                let thrown = clock.now.offset
                for step in [Duration.zero, .milliseconds(250), .milliseconds(250), .milliseconds(500)] {
                    clock.advance(by: step)
                    // Near the end, wait as long as it takes: no simulated time passes meanwhile.
                    let turns = clock.now.offset - thrown < .seconds(1) ? 2_000 : 1_000_000
                    for _ in 0..<turns {
                        if instances.allSatisfy({ $0.obeys(next) }) { break }
                        await Task.yield()
                    }
                    for instance in instances where instance.obeys(next) {
                        instance.note(round, clock.now.offset - thrown)
                    }
                }
                let deaf = instances.filter { !$0.obeys(next) }.map(\.fault)
                #expect(deaf == [], "seed \(seed), round \(round), \(next)")
                if !deaf.isEmpty { break }
                target = next
            }
            for instance in instances {
                #expect(instance.obeyed.count == kills, "\(instance.fault)")
                let worst = instance.obeyed.values.max() ?? .zero
                #expect(worst <= .seconds(1), "\(instance.fault)")
                slowest[instance.fault] = worst
                #expect(instance.isAtIt, "\(instance.fault) has gone by itself")
                await instance.end()
            }
        }
        let lines = FleetInstance.Fault.allCases.map { "\($0) \(slowest[$0, default: .zero])" }
        print("seed \(seed): \(kills) kills, each obeyed within: \(lines.joined(separator: ", "))")
    }

    @Test func `an instance that is still starting obeys a kill, and follows no higher stage`() async throws {
        let clock = TestClock()
        let etcd = FakeEtcd(clock: clock)
        let plan = try Readings.plan()
        for id in ["1", "2"] {
            let step = Requests.request(.advance(despiteGate: true), id: id)
            _ = try await etcd.store().carryOut(step, for: FleetInstance.capability, plan: plan)
        }
        try await FleetInstance.with([.hangingMemory, .hangingCounts], clock) { fault, disk in
            try FleetInstance(fault, store: etcd.store(), clock: clock, plan: plan, disk: disk)
        } body: { instances in
            for instance in instances { try await instance.begin() }
            await until { etcd.watchers == instances.count }
            for _ in 0..<5_000 { await Task.yield() }
            for instance in instances { #expect(instance.stage == .legacyOnly, "\(instance.fault)") }
            for instance in instances { instance.letGo() }
            await until { instances.allSatisfy { $0.stage == .canary(share: 500) } }
            for instance in instances { await instance.end() }
        }
    }
}
#endif
#endif
