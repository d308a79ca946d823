import Cofferdam
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

@Suite struct LoadablePhaseTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var change: @Sendable (LoadableDouble<Int>) -> Void
        var withSpinner: String
        var before: String
        var testDescription: String { name }

        init(
            _ name: String,
            shows phase: String,
            before: String? = nil,
            _ change: @escaping @Sendable (LoadableDouble<Int>) -> Void
        ) {
            (self.name, withSpinner, self.before, self.change) = (name, phase, before ?? phase, change)
        }
    }

    private func text(_ phase: LoadablePhase<Int>) -> String {
        switch phase {
        case .nothing: "nothing"
        case .loading: "loading"
        case .contents(let contents): "\(contents)"
        case .refreshing(let contents): "refreshing \(contents)"
        case .failed(let error, let contents):
            "\((error as? TestError)?.name ?? "") \(contents.map(String.init) ?? "nothing")"
        }
    }

    @Test(arguments: [
        Case("nothing was tried", shows: "nothing") { _ in },
        Case("the first run", shows: "loading", before: "nothing") { $0.setSyncing() },
        Case("a success", shows: "1") { $0.succeed(1) },
        Case("a run after a success", shows: "refreshing 1", before: "1") {
            $0.succeed(1)
            $0.setSyncing()
        },
        Case("a failure at first", shows: "lost nothing") { $0.fail(TestError("lost")) },
        Case("a failure after a success", shows: "lost 1") {
            $0.succeed(1)
            $0.fail(TestError("lost"))
        },
        Case("a run after a failure at first", shows: "loading", before: "lost nothing") {
            $0.fail(TestError("lost"))
            $0.setSyncing()
        },
        Case("a run after a success and a failure", shows: "refreshing 1", before: "lost 1") {
            $0.succeed(1)
            $0.fail(TestError("lost"))
            $0.setSyncing()
        },
        Case("a success after a failure", shows: "2") {
            $0.fail(TestError("lost"))
            $0.succeed(2)
        },
        Case("back at the start", shows: "nothing") {
            $0.succeed(1)
            $0.setIdle()
        },
    ])
    func `the state and the contents decide what shows`(row: Case) {
        let double = LoadableDouble<Int>()
        row.change(double)
        let snapshot = double.loadable.snapshot
        #expect(text(LoadablePhase(snapshot)) == row.withSpinner)
        #expect(text(LoadablePhase(snapshot, showsSpinner: false)) == row.before)
        #expect(LoadablePhase(snapshot).contents == snapshot.contents)
    }

    @Test func `contents without a run show before anything is loaded`() {
        #expect(text(LoadablePhase(Loadable(1) { 2 }.snapshot)) == "1")
    }

    @Test func `a run shows when the delay is over, and the next run has its own delay`() {
        let start = ContinuousClock.now
        let at = { (milliseconds: Int) in start + .milliseconds(milliseconds) }
        var delay = SpinnerDelay<ContinuousClock.Instant>(.milliseconds(300))
        #expect(delay.end == nil && !delay.isOver(at: at(1_000)))
        delay.note(.syncing, at: at(1_000))
        #expect(delay.end == at(1_300))
        #expect([1_000, 1_299, 1_300, 2_000].map { delay.isOver(at: at($0)) } == [false, false, true, true])
        delay.note(.syncing, at: at(1_200))
        #expect(delay.end == at(1_300))
        for state in [LoadState.succeeded, .failed, .idle] {
            delay.note(state, at: at(1_400))
            #expect(delay.end == nil && !delay.isOver(at: at(5_000)))
        }
        delay.note(.syncing, at: at(6_000))
        #expect(!delay.isOver(at: at(6_299)) && delay.isOver(at: at(6_300)))
    }

    @Test func `without a delay a run shows at once`() {
        var delay = SpinnerDelay<ContinuousClock.Instant>(.zero)
        let now = ContinuousClock.now
        delay.note(.syncing, at: now)
        #expect(delay.isOver(at: now))
    }
}
