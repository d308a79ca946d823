import Cofferdam
import Testing
import TestSupport

@testable import CofferdamUpgrade

/// What an `Upgrade` does beside the steps of its guide.
@Suite struct UpgradeTests {
    private struct Observer: RouteObserver {
        let log: Log<String>

        func called(_ call: RoutedCall) { log.add("called \(call.side)") }
        func compared(_ comparison: ShadowComparison) {}
        func opened(_ opening: SideOpening) { log.add("opened \(opening.side)") }
    }

    @Test func `a session's side is opened ahead, and what counts is told instead of the recorder`() async throws {
        let log = Log<String>()
        let upgrade = try ratesUpgrade(v1: OldBank(), v2: NewBank(), backend: .memory()) {
            $0.counting = { _, _ in Observer(log: log) }
        }
        try upgrade.control.move(to: .candidateOnly)
        try await upgrade.open(for: upgrade.session(for: "ada"))
        #expect(log.entries == ["opened candidate"])
        let rates: any Rates = upgrade.port(for: "ada")
        #expect(try await rates.rate(of: "USD") == 1.09)
        #expect(log.entries == ["opened candidate", "called candidate"])
    }

    @Test func `a guard of the sample sits in front of the recorder`() throws {
        let upgrade = try ratesUpgrade(v1: OldBank(), v2: NewBank(), backend: .memory()) { $0.counting = guarded }
        #expect(upgrade.routes.observer is SampleGuard)
    }

    @Test func `no agreed difference is met more often than agreed`() throws {
        func agreed(_ id: String, _ rate: Double) -> AgreedDifference {
            AgreedDifference(ExpectedDifference(id: id, path: "rate", reason: "rounding", changes: []), rate: rate)
        }
        let upgrade = try ratesUpgrade(v1: OldBank(), v2: NewBank(), backend: .memory()) {
            $0.expectations = Expectations([agreed("R1", 0.001), agreed("R2", 1)])
        }
        #expect(upgrade.engine.plan.settings.expectedRates == ["R1": 0.001, "R2": 1])
        let gate = upgrade.engine.plan.gate(at: .shadow(sample: .all))
        #expect(gate.ceilings.filter { $0.metric.rawValue.hasPrefix("expected") }.map(\.limit) == [0.001, 1])
        #expect(throws: GateError.self) {
            _ = try ratesUpgrade(v1: OldBank(), v2: NewBank(), backend: .memory()) {
                $0.expectations = Expectations([agreed("R1", 1.5)])
            }
        }
    }
}
