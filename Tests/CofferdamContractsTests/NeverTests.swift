import CofferdamContracts
import CofferdamTesting
import Testing

@Suite struct NeverTests {
    private let context = RuleContext(rule: "TIME-06", bound: .seconds(5))

    @Test func `an event that does not happen before the fence is not reported`() async throws {
        let gate = TestGate()
        try await context.never("nothing", { await gate.pass() }) {}
        gate.open()
    }

    @Test func `an event before the fence is reported, even if late (TIME-06)`() async throws {
        let (gate, seen) = (TestGate(), TestGate())
        let error = try await #require(throws: Happened.self) {
            try await context.never(
                "the event",
                {
                    await gate.pass()
                    seen.open()
                }
            ) {
                gate.open()
                await seen.pass()
            }
        }
        #expect(error.what == "the event")
    }
}
