import Cofferdam
import CofferdamUpgrade
import Testing
import TestSupport

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
            $0.counting = { _ in Observer(log: log) }
        }
        try upgrade.control.move(to: .candidateOnly)
        try await upgrade.open(for: upgrade.session(for: "ada"))
        #expect(log.entries == ["opened candidate"])
        let rates: any Rates = upgrade.port(for: "ada")
        #expect(try await rates.rate(of: "USD") == 1.09)
        #expect(log.entries == ["opened candidate", "called candidate"])
    }
}
