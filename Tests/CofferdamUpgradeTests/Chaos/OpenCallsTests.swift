import CofferdamTesting
import CofferdamUpgrade
import Testing
import TestSupport

@Suite struct OpenCallsTests {
    @Test func `a call that never ends is reported with its name, side and stage, and one that ends is not`()
        async throws
    {
        let (clock, control, gate) = (TestClock(), StageControl(StageState(stage: .candidateOnly)), TestGate())
        let open = OpenCalls(clock: clock)
        let session = UnitSession(unit: "amara", control: control, bucketing: try Bucketing(salt: "a"))
        await open.wait(for: "put", "k1", by: session, at: control) {}
        let task = Task { await open.wait(for: "add", "k2", by: session, at: control) { await gate.pass() } }
        await until { gate.arrivals == 1 }
        clock.advance(by: OpenCalls.deadline)
        #expect(open.overdue == [])
        clock.advance(by: .seconds(1))
        #expect(open.overdue.count == 1)
        let reported = try #require(open.overdue.first)
        #expect(reported.contains("add k2 by amara") && reported.contains("candidate side, at candidateOnly"))
        gate.open()
        await task.value
        #expect(open.overdue == [])
        #expect(open.count == 0)
    }
}
