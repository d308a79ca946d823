import Cofferdam
import CofferdamSupport
import CofferdamGate
import Testing

@testable import CofferdamSimulation

@Suite struct SingleGateTests {
    private static let gate = Result { try SingleGate() }

    @Test func `no more than α are promoted at the limit, exactly`() throws {
        let gate = try Self.gate.get()
        let chances = gate.chances(rate: gate.limit)
        #expect(chances.promoted <= gate.alpha)
        #expect(abs(chances.promoted - 0.009638365) < 1e-8)
        #expect(abs(chances.promoted + chances.rolledBack + chances.undecided - 1) < 1e-9)
    }

    /// Computed by another program from the same sums.
    @Test(arguments: [(1e-4, 0.995480394), (5e-4, 0.306542631)])
    func `the chance of a promotion has its reference value`(rate: Double, promoted: Double) throws {
        #expect(abs(try Self.gate.get().chances(rate: rate).promoted - promoted) < 1e-8)
    }

    @Test(arguments: 0..<5) func `the simulation keeps to its limits`(seed: Int) throws {
        let gate = try Self.gate.get()
        var random = SplitMix64(seed: UInt64(seed))
        func endings(_ rate: Double) -> [SingleGate.Ending] {
            (0..<2_000).map { _ in gate.run(rate: rate, &random) }
        }
        #expect(endings(1e-3).count { $0.verdict == .promote } <= 35)
        #expect(endings(1e-4).count { $0.verdict == .promote } >= 1_980)
        let bad = endings(1e-2)
        #expect(bad.allSatisfy { $0.verdict == .rollBack })
        #expect(bad.map(\.samples).sorted()[999] <= 300)
    }

    @Test func `a candidate that never fails is promoted as soon as it can be`() throws {
        var random = SplitMix64(seed: 0)
        let ending = try Self.gate.get().run(rate: 0, &random)
        #expect(ending == SingleGate.Ending(verdict: .promote, samples: 5_009))
    }

    @Test func `one that always fails is rolled back at once`() throws {
        var random = SplitMix64(seed: 0)
        let ending = try Self.gate.get().run(rate: 1, &random)
        #expect(ending == SingleGate.Ending(verdict: .rollBack, samples: 2))
    }

    /// Compares skipping to the next failure with checking after each unit.
    @Test(arguments: 0..<5) func `a run ends where one that decides after every unit does`(seed: Int) throws {
        let gate = try Self.gate.get()
        let rates = [0.0005, 0.001, 0.002, 0.01]
        var random = SplitMix64(seed: UInt64(seed))
        let rate = rates[seed % rates.count]
        var again = random
        let skipped = gate.run(rate: rate, &random)
        var counts = FailureCounts.none
        var gap = again.trialsBeforeEvent(probability: rate)
        var ending: SingleGate.Ending?
        while ending == nil {
            let isFailure = gap == 0
            gap = isFailure ? again.trialsBeforeEvent(probability: rate) : gap - 1
            counts = counts + FailureCounts(isFailure ? 1 : 0, of: 1)
            if gate.isRolledBack(counts) {
                ending = SingleGate.Ending(verdict: .rollBack, samples: counts.total)
            } else if SequentialRule.mixture(limit: gate.limit).isReached(counts, alpha: gate.alpha) {
                ending = SingleGate.Ending(verdict: .promote, samples: counts.total)
            } else if counts.total == gate.horizon {
                ending = SingleGate.Ending(verdict: .undecided, samples: counts.total)
            }
        }
        #expect(skipped == ending)
    }

    @Test func `the gaps between failures are geometric`() {
        var random = SplitMix64(seed: 7)
        let gaps = (0..<20_000).map { _ in random.trialsBeforeEvent(probability: 0.01) }
        let mean = Double(gaps.reduce(0, +)) / 20_000
        #expect(abs(mean - 99) < 3)
        #expect(gaps.contains(0))
        let (certain, impossible) = (random.trialsBeforeEvent(probability: 1), random.trialsBeforeEvent(probability: 0))
        #expect(certain == 0)
        #expect(impossible == SplitMix64.never)
    }

    /// α bounds the chance over the whole plan; several gates in a row leave much less.
    @Test(arguments: NamedPlan.allCases) func `what a plan lets through is computed exactly`(name: NamedPlan) throws {
        var plan = try UpgradePlan.named(name)
        var settings = plan.settings
        settings.horizon = name == .small ? 5_000 : 20_000
        plan = try UpgradePlan(plan.stages, settings: settings)
        #expect(try plan.chanceToArrive(failing: plan.settings.limit) < plan.alpha)
        let good = try plan.chanceToArrive(failing: plan.settings.limit / 10)
        let middling = try plan.chanceToArrive(failing: plan.settings.limit / 2)
        #expect(good > 0.7)
        #expect(middling < 0.1)
        #expect(middling > 0)
    }
}
