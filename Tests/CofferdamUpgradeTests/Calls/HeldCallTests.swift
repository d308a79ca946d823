import Cofferdam
import CofferdamTesting
import Testing
import TestSupport

@testable import CofferdamUpgrade

@Suite("Calls that wait for the stage", .timeLimit(.minutes(1))) struct HeldCallTests {
    /// An upgrade after the first calls of its unit.
    private static func upgrade() async throws -> ZooUpgrade {
        let upgrade = try ZooUpgrade(.candidateOnly)
        for _ in 0..<20 { try await upgrade.call(.read) }
        return upgrade
    }

    @Test func `a call that begins while the stage is read follows what was read`() async throws {
        let upgrade = try await Self.upgrade()
        let gate = TestGate()
        upgrade.control.hold(until: Task { await gate.pass() })
        let (before, call) = (upgrade.sides.count, Task { try await upgrade.call(.read) })
        for _ in 0..<1_000 { await Task.yield() }
        #expect(upgrade.sides.count == before, "it waits")
        upgrade.control.kill(KillSwitch(.legacy, by: "operator", reason: "a test"))
        gate.open()
        try await call.value
        #expect(upgrade.sides.last == "legacy")
    }

    @Test func `if the stage is as it was, the calls after it are not first calls again`() async throws {
        let upgrade = try await Self.upgrade()
        let reported = upgrade.calls.entries.count
        upgrade.control.hold(until: Task {})
        try await upgrade.call(.read)
        #expect(!upgrade.control.isHeld)
        for _ in 0..<20 { try await upgrade.call(.read) }
        #expect(upgrade.sides.last == "candidate")
        #expect(upgrade.calls.entries.count == reported)
    }

    @Test func `a call that is cancelled leaves at once`() async throws {
        let upgrade = try await Self.upgrade()
        let gate = TestGate()
        upgrade.control.hold(until: Task { await gate.pass() })
        let call = Task { try await upgrade.call(.read) }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        gate.open()
    }

    @Test func `a second reading holds calls too, and the end of the first one does not let them go`() async throws {
        let upgrade = try await Self.upgrade()
        let (first, second) = (TestGate(), TestGate())
        let firstEnd = Task { await first.pass() }
        upgrade.control.hold(until: firstEnd)
        let call = Task { try await upgrade.call(.read) }
        for _ in 0..<100 { await Task.yield() }
        upgrade.control.hold(until: Task { await second.pass() })
        first.open()
        await firstEnd.value
        for _ in 0..<1_000 { await Task.yield() }
        #expect(upgrade.control.isHeld)
        upgrade.control.kill(KillSwitch(.legacy, by: "operator", reason: "a test"))
        second.open()
        try await call.value
        #expect(upgrade.sides.last == "legacy")
    }
}
