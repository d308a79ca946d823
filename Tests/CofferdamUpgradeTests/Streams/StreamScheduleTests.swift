import CofferdamUpgrade
import Testing

/// Runs thousands of schedules, each with a seed. A failing one can be repeated from its seed alone.
@Suite struct StreamScheduleTests {
    private static let manners: [(name: String, StreamSimulation.Manners)] = [
        ("calm", .init(skips: 0, repeats: 0)),
        ("as they are", .init()),
        ("a short replay", .init(replay: 3)),
        ("no acknowledgement", .init(acknowledges: false)),
        ("no acknowledgement, and slow to open", .init(acknowledges: false, opening: 25_000)),
        ("slow to open", .init(opening: 25_000)),
        ("forgetful", .init(replay: 5, skips: 60, repeats: 50)),
        ("failing", .init(failures: 20)),
        ("failing, with a short replay", .init(replay: 2, skips: 20, failures: 30)),
    ]

    @Test(arguments: Self.manners.indices)
    func `nothing is lost and nothing repeated without an explicit gap`(index: Int) {
        let (name, manners) = Self.manners[index]
        var (moves, gaps, recovered, failed) = (0, 0, 0, 0)
        for seed in UInt64(0)..<500 {
            var simulation = StreamSimulation(seed: seed, manners)
            simulation.run()
            let oracle = StreamOracle(simulation)
            moves += simulation.takeovers.count
            gaps += oracle.gaps
            recovered += oracle.recovered
            failed += simulation.hasFailed ? 1 : 0
            guard oracle.violations.isEmpty else {
                Issue.record("\(name), seed \(seed): \(oracle.violations.prefix(5)); delivered \(simulation.delivered)")
                return
            }
        }
        print("\(name): \(moves) moves, \(gaps) gaps, \(recovered) recovered, \(failed) ended by an error")
        #expect(moves > 100, "the schedules have hardly moved anything")
        if name == "calm" { #expect((gaps, recovered, failed) == (0, 0, 0)) }
        if manners.skips > 0 { #expect(recovered > 0) }
        if manners.failures > 0 { #expect(gaps > 0 && failed > 0) }
    }
}
