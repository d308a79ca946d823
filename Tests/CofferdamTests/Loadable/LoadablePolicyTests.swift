import Cofferdam
import Testing

@Suite struct LoadableFreshnessTests {
    @Test func `contents and failures have ages of their own`() async throws {
        let clock = HandClock()
        let double = LoadableDouble<Int>(freshness: .for(.seconds(10), error: .seconds(3)), clock: clock)
        double.succeed(1)
        #expect(!double.loadable.needsSync)
        clock.advance(by: .seconds(10))
        #expect(double.loadable.needsSync)
        #expect(double.loadable.age == .seconds(10))
        double.fail(TestError("lost"))
        // Fresh is the failure, not the contents.
        #expect(!double.loadable.needsSync)
        await #expect(throws: TestError("lost")) { try await double.loadable.fetchIfNeeded() }
        #expect(double.runCount == 0)
        clock.advance(by: .seconds(3))
        #expect(double.loadable.needsSync)
        let task = Task { try await double.loadable.fetchIfNeeded() }
        await until { double.waitingRunCount == 1 }
        double.succeed(2)
        #expect(try await task.value == 2)
    }

    @Test func `a snapshot tells how old its contents are when it is taken`() {
        let clock = HandClock()
        let double = LoadableDouble<Int>(clock: clock)
        #expect(double.loadable.snapshot.age == nil)
        double.succeed(1)
        clock.advance(by: .seconds(4))
        #expect(double.loadable.snapshot.age == .seconds(4))
        double.fail(TestError("lost"))
        #expect(double.loadable.snapshot.age == .seconds(4))
    }

    @Test func `what is never fresh is loaded each time, and shared while it is loaded`() async throws {
        let double = LoadableDouble<Int>(freshness: .never)
        for run in 1...3 {
            let tasks = (0..<2).map { _ in Task { try await double.loadable.fetchIfNeeded() } }
            await until { double.callerCount == 2 && double.waitingRunCount == 1 }
            double.succeed(run)
            for task in tasks { #expect(try await task.value == run) }
        }
        #expect(double.runCount == 3)
    }

    @Test func `an invalidation makes contents that never age stale, and keeps them readable`() async {
        let double = LoadableDouble<Int>()
        double.succeed(1)
        double.loadable.invalidate()
        #expect(double.loadable.needsSync)
        #expect(double.loadable.snapshot.contents == 1)
        #expect(double.loadable.snapshot.state == .succeeded)
        #expect(double.runCount == 0)
        double.loadable.set(2)
        #expect(!double.loadable.needsSync)
    }

    @Test func `what somebody keeps in sync is loaded at once, and again after an invalidation`() async {
        let double = LoadableDouble<Int>()
        let token = double.loadable.activate()
        await until { double.waitingRunCount == 1 }
        let caller = Task { try await double.loadable.fetch() }
        await until { double.callerCount == 1 }
        caller.cancel()
        _ = await caller.result
        #expect(double.waitingRunCount == 1)
        double.succeed(1)
        await until { double.loadable.snapshot.contents == 1 }
        double.loadable.invalidate()
        await until { double.waitingRunCount == 1 }
        token.cancel()
        await until { double.cancelledRunCount == 1 }
        #expect(double.loadable.snapshot.state == .succeeded)
        double.loadable.invalidate()
        for _ in 0..<100 { await Task.yield() }
        #expect(double.waitingRunCount == 0)
    }

    @Test func `an observer keeps a run alive only if it asked to`() async {
        for isActive in [false, true] {
            let double = LoadableDouble<Int>()
            let token = double.loadable.observe(isActive: isActive) { _ in }
            let task = Task { try await double.loadable.fetch() }
            await until { double.waitingRunCount == 1 && double.callerCount == 1 }
            task.cancel()
            _ = await task.result
            if !isActive { await until { double.cancelledRunCount == 1 } }
            #expect(double.waitingRunCount == (isActive ? 1 : 0))
            token.cancel()
            await until { double.waitingRunCount == 0 && double.observerCount == 0 }
        }
    }

    @Test func `an observer that awaits sees the last one, and one at a time`() async {
        let loadable = Loadable.just(0)
        let gate = Gate()
        let log = Log<Int?>()
        let token = loadable.observe(awaiting: { snapshot in
            log.add(snapshot.contents)
            await gate.pass()
        })
        await until { gate.arrivals == 1 }
        for value in 1...10 { loadable.set(value) }
        gate.open()
        await until { log.entries.last == 10 }
        #expect(log.entries == [0, 10])
        token.cancel()
    }
}

@Suite struct LoadRetryTests {
    private struct Refused: Error {}
    private struct Busy: Error { var seconds: Int }

    @Test func `waits grow, jitter is a share of chance, and the error's class decides`() async throws {
        let clock = HandClock()
        let errors: [any Error] = [TestError("a"), TestError("b"), Busy(seconds: 60), Refused()]
        let runs = Mutex(0)
        let retry = LoadRetry(maximumAttempts: 10, backoff: Backoff(initial: .seconds(2)), random: { 0.5 }) { error in
            switch error {
            case is Refused: .stop
            case let busy as Busy: .retryAfter(.seconds(busy.seconds))
            default: .retry
            }
        }
        let loadable = Loadable<Int>(freshness: .always, retry: retry, clock: clock) {
            let run = runs.withLock { count in
                defer { count += 1 }
                return count
            }
            throw errors[run]
        }
        let task = Task { try await loadable.fetch() }
        for (index, wait) in [1, 2, 60].enumerated() {
            await until { clock.sleeperCount == 1 }
            #expect(loadable.snapshot.failedAttempts == index + 1)
            #expect(loadable.snapshot.state == .syncing)
            clock.advance(by: .seconds(wait) - .nanoseconds(1))
            #expect(clock.sleeperCount == 1)
            clock.advance(by: .nanoseconds(1))
            await until { runs.withLock { $0 } == index + 2 }
        }
        await #expect(throws: Refused.self) { try await task.value }
        #expect(runs.withLock { $0 } == 4)
        #expect(loadable.snapshot.failedAttempts == 0)
        #expect(loadable.snapshot.generation == 1)
    }

    @Test func `after the last attempt its error is thrown; a success in between ends it`() async throws {
        for attempts in [1, 2, 3] {
            let clock = HandClock()
            let runs = Mutex(0)
            let retry = LoadRetry(maximumAttempts: attempts, backoff: Backoff(initial: .zero))
            let loadable = Loadable<Int>(freshness: .always, retry: retry, clock: clock) {
                let run = runs.withLock { count in
                    count += 1
                    return count
                }
                if run == 3 { return run }
                throw TestError("\(run)")
            }
            let result = await Task { try await loadable.fetch() }.result
            if attempts == 3 {
                #expect(try result.get() == 3)
            } else {
                #expect(throws: TestError("\(attempts)")) { try result.get() }
            }
            #expect(runs.withLock { $0 } == attempts)
        }
    }
}

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

@Suite struct LoadablePersistenceTests {
    private final class Disk: Sendable {
        let saved = Log<Int>()
        let reported = Log<TestError?>()
        let gate = Gate()

        func persistence(_ record: Result<(Int, Duration)?, any Error>, isSlow: Bool = false) -> LoadablePersistence<
            Int
        > {
            LoadablePersistence {
                try record.get().map { LoadablePersistence.Record($0.0, age: $0.1) }
            } save: { contents in
                if isSlow { await self.gate.pass() }
                if contents < 0 { throw TestError("disk full") }
                self.saved.add(contents)
            } report: {
                self.reported.add($0 as? TestError)
            }
        }
    }

    private func loadable(
        _ disk: Disk,
        _ record: Result<(Int, Duration)?, any Error>,
        isSlow: Bool = false,
        clock: HandClock = HandClock(),
        _ loads: Log<Int> = Log()
    ) -> Loadable<Int> {
        Loadable(
            freshness: .for(.seconds(60)),
            persistence: disk.persistence(record, isSlow: isSlow),
            clock: clock
        ) {
            loads.add(1)
            return 100
        }
    }

    @Test func `what was kept and is fresh is not loaded, and keeps its age`() async throws {
        let (disk, loads, clock) = (Disk(), Log<Int>(), HandClock())
        let loadable = loadable(disk, .success((7, .seconds(50))), clock: clock, loads)
        #expect(try await loadable.fetchIfNeeded() == 7)
        #expect(loads.entries.isEmpty)
        #expect(loadable.age == .seconds(50))
        clock.advance(by: .seconds(10))
        #expect(try await loadable.fetchIfNeeded() == 100)
        await until { disk.saved.entries == [100] }
    }

    @Test func `what was kept and is stale, or is not asked for, is shown meanwhile`() async throws {
        for isForced in [false, true] {
            let disk = Disk()
            let loadable = loadable(disk, .success((7, .seconds(isForced ? 1 : 61))))
            let seen = Log<Int?>()
            let token = loadable.observe { seen.add($0.contents) }
            #expect(try await (isForced ? loadable.fetch() : loadable.fetchIfNeeded()) == 100)
            await until { seen.entries.last == 100 }
            #expect(seen.entries.contains(7))
            token.cancel()
        }
    }

    @Test func `a disk that fails fails no run, and is reported`() async throws {
        let disk = Disk()
        let loadable = loadable(disk, .failure(TestError("unreadable")))
        #expect(try await loadable.fetch() == 100)
        loadable.set(-1)
        await until { disk.reported.entries == [TestError("unreadable"), TestError("disk full")] }
        loadable.set(3)
        await until { disk.saved.entries.last == 3 }
    }

    @Test func `a slow disk skips what was replaced meanwhile, and gets the last`() async {
        let disk = Disk()
        let loadable = loadable(disk, .success(nil), isSlow: true)
        loadable.set(1)
        await until { disk.gate.arrivals == 1 }
        for value in 2...50 { loadable.set(value) }
        disk.gate.open()
        await until { disk.saved.entries.last == 50 }
        #expect(disk.saved.entries == [1, 50])
    }

    private func failing(_ disk: Disk, isSlow: Bool = false) -> Loadable<Int> {
        let persistence = disk.persistence(.success(nil), isSlow: isSlow)
        return Loadable(freshness: .always, persistence: persistence, clock: HandClock()) { throw TestError("lost") }
    }

    @Test func `a slow disk gets the last also when a run has failed since`() async {
        let disk = Disk()
        let loadable = failing(disk, isSlow: true)
        loadable.set(1)
        await until { disk.gate.arrivals == 1 }
        loadable.set(2)
        await loadable.sync()
        #expect(loadable.snapshot.state == .failed)
        disk.gate.open()
        await until { disk.saved.entries.last == 2 }
    }

    @Test func `a write that is taken back is not kept, also where a failure stands again`() async {
        let disk = Disk()
        let loadable = failing(disk)
        loadable.set(1)
        await until { disk.saved.entries == [1] }
        await loadable.sync()
        let write = loadable.writeOptimistically { _ in 2 }
        await until { disk.saved.entries == [1, 2] }
        write.rollBack()
        #expect(loadable.snapshot.state == .failed)
        await until { disk.saved.entries == [1, 2, 1] }
    }

    @Test func `what was restored is not kept again`() async throws {
        let disk = Disk()
        let loadable = Loadable(
            freshness: .always,
            persistence: disk.persistence(.success((7, .seconds(1)))),
            clock: HandClock(),
            executor: InlineExecutor()
        ) { 100 }
        #expect(try await loadable.fetch() == 100)
        await until { disk.saved.entries.last == 100 }
        #expect(disk.saved.entries == [100])
    }
}

/// Runs what it is given where it is, so that who waits for a change is there before who makes it goes on.
private final class InlineExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
