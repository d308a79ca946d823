import Cofferdam
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

@Suite struct LoadableScheduleTests {
    @Test func `polling repeats until its token is cancelled, which cancels its run`() async {
        let clock = TestClock()
        let double = LoadableDouble<Int>(clock: clock)
        let token = double.loadable.poll(every: .seconds(10))
        for run in 1...3 {
            await until { double.waitingRunCount == 1 }
            #expect(double.runCount == run)
            double.succeed(run)
            await until { clock.sleeperCount == 1 }
            clock.advance(by: .seconds(10))
        }
        await until { double.waitingRunCount == 1 }
        token.cancel()
        await until { double.cancelledRunCount == 1 }
        await until { double.observerCount == 0 }
        #expect(clock.sleeperCount == 0)
    }

    @Test func `after failures the delays grow, and after a success they start again`() async {
        let clock = TestClock()
        let double = LoadableDouble<Int>(clock: clock)
        let schedule = SyncSchedule(every: nil, backoff: Backoff(initial: .seconds(1), jitter: 0))
        let token = double.loadable.sync(by: schedule)
        var runs = 0
        for wait in [1, 2, 4] {
            await until { double.waitingRunCount == 1 }
            runs += 1
            double.fail(TestError("lost"))
            await until { clock.sleeperCount == 1 }
            clock.advance(by: .seconds(wait) - .nanoseconds(1))
            for _ in 0..<100 { await Task.yield() }
            #expect(double.runCount == runs)
            clock.advance(by: .nanoseconds(1))
        }
        await until { double.waitingRunCount == 1 }
        double.succeed(1)
        await until { double.loadable.snapshot.state == .succeeded }
        for _ in 0..<100 { await Task.yield() }
        #expect(clock.sleeperCount == 0)
        double.fail(TestError("pushed"))
        await until { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(1))
        await until { double.waitingRunCount == 1 }
        token.cancel()
    }

    @Test func `a schedule can leave the first sync to others, and their syncs postpone its own`() async {
        let clock = TestClock()
        let double = LoadableDouble<Int>(clock: clock)
        let token = double.loadable.sync(by: SyncSchedule(every: .seconds(10), startsAtOnce: false))
        for _ in 0..<100 { await Task.yield() }
        #expect(double.runCount == 0 && clock.sleeperCount == 0)
        double.succeed(1)
        await until { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(6))
        double.succeed(2)
        clock.advance(by: .seconds(4))
        // Ten seconds after the first, six before its time: it sleeps again.
        await until { clock.sleeperCount == 1 }
        #expect(double.runCount == 0)
        clock.advance(by: .seconds(10))
        await until { double.waitingRunCount == 1 }
        token.cancel()
    }

    @Test(arguments: [false, true])
    func `an unforced schedule continues after a period in which no sync was needed`(isFailing: Bool) async {
        let clock = TestClock()
        let double = LoadableDouble<Int>(freshness: .for(.seconds(90), error: .seconds(90)), clock: clock)
        let schedule = SyncSchedule(
            every: .seconds(60),
            backoff: Backoff(initial: .seconds(60), factor: 1, jitter: 0),
            isForced: false
        )
        let token = double.loadable.sync(by: schedule)
        await until { double.waitingRunCount == 1 }
        if isFailing { double.fail(TestError("lost")) } else { double.succeed(1) }
        await until { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(60))
        await until { clock.sleeperCount == 1 }
        #expect(double.runCount == 1)
        clock.advance(by: .seconds(60))
        await until { double.waitingRunCount == 1 }
        token.cancel()
    }

    @Test func `a failure elsewhere ends the wait for the period, and its back-off begins`() async {
        let clock = TestClock()
        let double = LoadableDouble<Int>(clock: clock)
        let schedule = SyncSchedule(every: .seconds(60), backoff: Backoff(initial: .seconds(5), jitter: 0))
        let token = double.loadable.sync(by: schedule)
        await until { double.waitingRunCount == 1 }
        double.succeed(1)
        await clock.waitForSleeper(until: .seconds(60))
        clock.advance(by: .seconds(10))
        double.fail(TestError("lost"))
        await clock.waitForSleeper(until: .seconds(15))
        clock.advance(by: .seconds(5))
        await until { double.waitingRunCount == 1 }
        double.fail(TestError("again"))
        await clock.waitForSleeper(until: .seconds(25))
        #expect(clock.sleeperCount == 1)
        double.succeed(2)
        await clock.waitForSleeper(until: .seconds(75))
        #expect(clock.sleeperCount == 1)
        token.cancel()
    }

    @Test func `the period is counted from when the contents were loaded, and a correction does not move it`() async {
        let clock = TestClock()
        let double = LoadableDouble<Int>(clock: clock)
        double.succeed(1)
        clock.advance(by: .seconds(6))
        let token = double.loadable.sync(by: SyncSchedule(every: .seconds(10)))
        await clock.waitForSleeper(until: .seconds(10))
        double.loadable.correct { $0 + 1 }
        clock.advance(by: .seconds(4))
        await until { double.waitingRunCount == 1 }
        double.succeed(2)
        await clock.waitForSleeper(until: .seconds(20))
        double.loadable.set(3)
        let write = double.loadable.writeOptimistically { _ in 4 }
        clock.advance(by: .seconds(5))
        #expect(write.rollBack())
        await clock.waitForSleeper(until: .seconds(20))
        token.cancel()
    }

    @Test func `contents that were saved while the clock was ahead load at once, and then by the period`() async {
        let clock = TestClock()
        let persistence = LoadablePersistence<Int> {
            .init(1, age: .seconds(-1000))
        } save: { _ in
        } report: { _ in
        }
        let loadable = Loadable<Int>(freshness: .always, persistence: persistence, clock: clock) { 2 }
        let token = loadable.sync(by: SyncSchedule(every: .seconds(10), isForced: false))
        await clock.waitForSleeper(until: .seconds(10))
        #expect(loadable.snapshot.contents == 2)
        token.cancel()
    }

    @Test func `an empty group is polled by the back-off`() async {
        let group = LoadableGroup.all([])
        let states = Log<LoadState>()
        let listening = group.snapshots.listen { states.add($0.state) }
        let token = group.sync(by: SyncSchedule(every: .zero, backoff: Backoff(initial: .seconds(3600), jitter: 0)))
        await until { states.entries.count == 3 }
        for _ in 0..<10_000 { await Task.yield() }
        #expect(states.entries == [.idle, .syncing, .idle])
        token.cancel()
        listening.cancel()
    }

    @Test func `a group that stays idle although a member fails is synced by the back-off`() async {
        let (clock, runs) = (TestClock(), Log<Void>())
        let failing = Loadable<Int>(clock: clock) {
            runs.add(())
            throw TestError("lost")
        }
        let group = LoadableGroup.any([failing, LoadableSource<Int>().loadable])
        let token = group.sync(by: SyncSchedule(every: .zero, backoff: Backoff(initial: .seconds(3600), jitter: 0)))
        await until { runs.entries.count == 1 && group.snapshot.state == .idle }
        for _ in 0..<10_000 { await Task.yield() }
        #expect(runs.entries.count == 1)
        token.cancel()
    }

    @Test func `a run that was given up is not restarted without a pause`() async {
        let clock = TestClock()
        let double = LoadableDouble<Int>(clock: clock)
        let token = double.loadable.sync(
            by: SyncSchedule(every: nil, backoff: Backoff(initial: .seconds(3), jitter: 0))
        )
        await until { double.waitingRunCount == 1 }
        double.loadable.cancel()
        await clock.waitForSleeper(until: .seconds(3))
        clock.advance(by: .seconds(3))
        await until { double.runCount == 2 }
        token.cancel()
    }

    @Test(arguments: [0, 60] as [Int64], [false, true])
    func `an unforced schedule loads once the period is over and the contents are stale`(
        period: Int64,
        isDerived: Bool
    ) async {
        let clock = TestClock()
        let double = LoadableDouble<Int>(freshness: .for(.seconds(90), error: .seconds(5)), clock: clock)
        let backoff = Backoff(initial: isDerived ? .seconds(5) : .zero, jitter: 0)
        let loadable = isDerived ? double.loadable.map { $0 } : double.loadable
        let token = loadable.sync(by: SyncSchedule(every: .seconds(period), backoff: backoff, isForced: false))
        await until { double.waitingRunCount == 1 }
        double.succeed(1)
        await clock.waitForSleeper(until: .seconds(90))
        clock.advance(by: .seconds(90))
        await until { double.waitingRunCount == 1 }
        double.fail(TestError("lost"))
        await clock.waitForSleeper(until: .seconds(95))
        clock.advance(by: .seconds(5))
        await until { double.waitingRunCount == 1 }
        double.succeed(2)
        await clock.waitForSleeper(until: .seconds(185))
        double.loadable.invalidate()
        await until { double.waitingRunCount == 1 }
        token.cancel()
    }

    @Test func `without a period, contents that never age are loaded again when they are invalidated`() async {
        let clock = TestClock()
        let double = LoadableDouble<Int>(clock: clock)
        let token = double.loadable.sync(by: SyncSchedule(every: .zero, isForced: false))
        for run in 1...3 {
            await until { double.waitingRunCount == 1 }
            #expect(double.runCount == run)
            double.succeed(run)
            await until { double.callerCount == 0 && double.observerCount == 2 }
            #expect(clock.sleeperCount == 0)
            double.loadable.invalidate()
        }
        token.cancel()
    }

    @Test func `a schedule neither retains its loadable nor outlives it`() async {
        let clock = TestClock()
        weak var released: Loadable<Int>?
        let token: ListenerToken
        do {
            let loadable = Loadable<Int>(freshness: .always, clock: clock) { 1 }
            released = loadable
            token = loadable.poll(every: .seconds(10))
            await until { clock.sleeperCount == 1 }
        }
        await until { released == nil }
        clock.advance(by: .seconds(10))
        await until { clock.sleeperCount == 0 }
        token.cancel()
    }

    @Test func `a signal syncs only loadables that are used and stale`() async {
        let double = LoadableDouble<Int>()
        let (signals, signal) = AsyncStream<Void>.makeStream()
        let token = double.loadable.sync(on: signals)
        let drain = {
            signal.yield()
            for _ in 0..<200 { await Task.yield() }
        }
        await drain()
        #expect(double.runCount == 0, "it is unused")
        let listening = double.loadable.observe { _ in }
        signal.yield()
        await until { double.waitingRunCount == 1 }
        double.succeed(1)
        await until { double.callerCount == 0 }
        await drain()
        #expect(double.runCount == 1, "it is fresh")
        double.loadable.invalidate()
        signal.yield()
        await until { double.waitingRunCount == 1 }
        token.cancel()
        await until { double.cancelledRunCount == 1 }
        listening.cancel()
    }

    @Test func `a caller can wait for contents, for success or for the end of a run, with a limit`()
        async throws
    {
        let clock = TestClock()
        let double = LoadableDouble<Int>(clock: clock)
        let late = Task { try await double.loadable.wait(for: .contents, within: .seconds(30), clock: clock) }
        await until { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(30))
        await #expect(throws: DeadlineExceeded.self) { try await late.value }
        #expect(double.runCount == 0)
        let success = Task { try await double.loadable.wait(for: .success, within: .seconds(30), clock: clock) }
        let contents = Task { try await double.loadable.wait(for: .contents, within: .seconds(30), clock: clock) }
        await until { clock.sleeperCount == 2 }
        double.loadable.set(1)
        #expect(try await contents.value.contents == 1)
        #expect(try await success.value.contents == 1)
        double.setSyncing()
        let settled = Task { try await double.loadable.settledContents() }
        await until { double.observerCount == 1 }
        double.fail(TestError("lost"))
        // By contents, not by state.
        #expect(try await settled.value == 1)
        await until { double.observerCount == 0 }
        let empty = LoadableDouble<Int>()
        await #expect(throws: LoadableError.self) { try await empty.loadable.settledContents() }
        empty.fail(TestError("lost"))
        await #expect(throws: TestError("lost")) { try await empty.loadable.settledContents() }
    }

    @Test func `a caller can sync by a schedule while it waits`() async throws {
        let clock = TestClock()
        let double = LoadableDouble<Int>(clock: clock)
        let schedule = SyncSchedule(every: nil, backoff: Backoff(initial: .seconds(1), jitter: 0))
        let task = Task { try await double.loadable.wait(for: .success, syncingBy: schedule) }
        await until { double.waitingRunCount == 1 }
        double.fail(TestError("lost"))
        await until { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(1))
        await until { double.waitingRunCount == 1 }
        double.succeed(2)
        #expect(try await task.value.contents == 2)
        await until { double.observerCount == 0 }
    }
}
