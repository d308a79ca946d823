import Cofferdam
import Testing

@Suite struct LoadableScheduleTests {
    @Test func `polling loads again and again, its runs outlive other callers, and ends with the token`() async {
        let clock = HandClock()
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

    @Test func `after failures the waits grow, and after a success they start anew`() async {
        let clock = HandClock()
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

    @Test func `a schedule may wait until somebody else has begun, and what others sync moves its time`() async {
        let clock = HandClock()
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
    func `a schedule that loads only what needs it goes on after a time at which nothing did`(isFailing: Bool) async {
        let clock = HandClock()
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

    @Test func `a schedule does not keep its loadable, nor outlives it`() async {
        let clock = HandClock()
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

    @Test func `a signal syncs what is used and stale, and nothing else`() async {
        let double = LoadableDouble<Int>()
        let (signals, signal) = AsyncStream<Void>.makeStream()
        let token = double.loadable.sync(on: signals)
        let drain = {
            signal.yield()
            for _ in 0..<200 { await Task.yield() }
        }
        await drain()
        #expect(double.runCount == 0, "nobody uses it")
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

    @Test func `one may wait for contents, for success, or for the end of a run, and no longer than one wants`()
        async throws
    {
        let clock = HandClock()
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

    @Test func `who waits may sync meanwhile, until all have what they wait for`() async throws {
        let clock = HandClock()
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
