import Cofferdam
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

@Suite struct LoadableDoubleTests {
    @Test func `a double counts runs, cancellations, callers and observers`() async {
        let double = LoadableDouble<Int>()
        let token = double.loadable.observe { _ in }
        let task = Task { try await double.loadable.fetch() }
        await until { double.waitingRunCount == 1 }
        #expect((double.runCount, double.callerCount, double.observerCount) == (1, 1, 1))
        task.cancel()
        _ = await task.result
        await until { double.cancelledRunCount == 1 }
        #expect((double.waitingRunCount, double.callerCount) == (0, 0))
        double.resetCounts()
        token.cancel()
        #expect((double.runCount, double.cancelledRunCount, double.observerCount) == (0, 0, 0))
    }

    @Test func `a double shows any state`() {
        let double = LoadableDouble<Int>()
        double.setSyncing()
        #expect(double.loadable.snapshot.state == .syncing)
        double.succeed(1)
        #expect(double.loadable.snapshot.state == .succeeded)
        double.fail(TestError("lost"))
        #expect(double.loadable.snapshot.state == .failed)
        #expect(double.loadable.snapshot.contents == 1)
        double.setIdle()
        #expect(double.loadable.snapshot.state == .idle)
        #expect(double.loadable.snapshot.contents == nil)
    }

    @Test func `a read-only view shows the contents and can be mapped`() {
        let double = LoadableDouble<Int>()
        let mapped = double.loadable.readOnly.map { $0 + 1 }
        double.succeed(1)
        #expect(mapped.snapshot.contents == 2)
        #expect(double.loadable.readOnly.snapshots.current.contents == 1)
    }
}
