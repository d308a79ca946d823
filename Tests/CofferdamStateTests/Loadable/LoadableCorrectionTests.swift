import Cofferdam
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

@Suite struct LoadableCorrectionTests {
    private struct Failure: Error {}

    @Test func `a correction changes existing contents, but neither their age nor their freshness`()
        async throws
    {
        let clock = TestClock()
        let loadable = Loadable(freshFor: .seconds(10), clock: clock) { 1 }
        try await loadable.fetch()
        clock.advance(by: .seconds(4))
        loadable.correct { $0 + 1 }
        #expect(loadable.snapshot.contents == 2)
        #expect(loadable.snapshot.age == .seconds(4))
        #expect(!loadable.snapshot.isLocal)
        clock.advance(by: .seconds(7))
        #expect(loadable.needsSync)
    }

    @Test func `without contents there is nothing to correct`() {
        let double = LoadableDouble<Int>()
        double.loadable.correct { _ in 1 }
        #expect(double.loadable.snapshot.contents == nil)
        #expect(double.loadable.snapshot.state == .idle)
    }

    @Test func `a correction after a failure keeps the error, and reaches derived loadables`() {
        let double = LoadableDouble<Int>()
        let doubled = double.loadable.map { $0 * 2 }
        double.succeed(1)
        double.fail(Failure())
        double.loadable.correct { $0 + 1 }
        #expect(doubled.snapshot.contents == 4)
        #expect(doubled.snapshot.state == .failed)
        #expect(double.loadable.snapshot.error is Failure)
    }

    @Test func `a current run commits afterwards`() async throws {
        let double = LoadableDouble<Int>(1)
        async let fetched = double.loadable.fetch()
        while double.waitingRunCount == 0 { await Task.yield() }
        double.loadable.correct { $0 + 1 }
        #expect(double.loadable.snapshot.contents == 2)
        double.succeed(7)
        #expect(try await fetched == 7)
        #expect(double.loadable.snapshot.contents == 7)
    }

    @Test func `a run that a local write has overtaken does not commit after a correction either`() async throws {
        let double = LoadableDouble<Int>(1)
        async let fetched = double.loadable.fetch()
        await until { double.waitingRunCount == 1 }
        double.loadable.set(5)
        double.loadable.correct { $0 + 1 }
        double.succeed(7)
        #expect(try await fetched == 7)
        #expect(double.loadable.snapshot.contents == 6)
    }
}
