import Cofferdam
import CofferdamSupport
import CofferdamGate
import CofferdamSimulation
import Testing

@Suite struct SimulatedAlarmTests {
    private func result(_ scenario: AlarmScenario, runs: Int) throws -> SimulatedAlarm.Result {
        var random = SplitMix64(seed: 1)
        return try SimulatedAlarm(scenario, settings: .defaults).result(runs: runs, &random)
    }

    /// With the greatest median number of failing units until it rings.
    @Test(arguments: [(AlarmScenario.breaksForAll, 10), (.breaksOneOperation, 10), (.breaksForTwoPercent, 25)])
    func `it rings soon after a break`(_ scenario: AlarmScenario, _ most: Int) throws {
        let result = try result(scenario, runs: 3)
        #expect(result.alarms == result.runs)
        #expect(result.falseAlarms == 0)
        #expect(result.medianUnits.map { $0 <= most } == true, "\(result)")
    }

    @Test(arguments: [AlarmScenario.sharedOutage, .night, .alwaysFailingUsers, .good])
    func `it does not ring while the candidate is no worse than it was`(_ scenario: AlarmScenario) throws {
        let result = try result(scenario, runs: 1)
        #expect(result.alarms == 0, "\(result)")
        #expect(result.quietHours >= 48)
    }
}
