import Cofferdam
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

@Suite struct LoadableFreshnessTests {
    @Test func `contents and failures have ages of their own`() async throws {
        let clock = TestClock()
        let double = LoadableDouble<Int>(freshness: .for(.seconds(10), error: .seconds(3)), clock: clock)
        double.succeed(1)
        #expect(!double.loadable.needsSync)
        clock.advance(by: .seconds(10))
        #expect(double.loadable.needsSync)
        #expect(double.loadable.age == .seconds(10))
        double.fail(TestError("lost"))
        // The failure is fresh, not the contents.
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

    @Test func `a snapshot has the age of its contents`() {
        let clock = TestClock()
        let double = LoadableDouble<Int>(clock: clock)
        #expect(double.loadable.snapshot.age == nil)
        double.succeed(1)
        clock.advance(by: .seconds(4))
        #expect(double.loadable.snapshot.age == .seconds(4))
        double.fail(TestError("lost"))
        #expect(double.loadable.snapshot.age == .seconds(4))
    }

    @Test func `contents that are never fresh are loaded each time, and a run is shared`() async throws {
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

    @Test func `a loadable that is kept in sync loads at once, and again after an invalidation`() async {
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

    @Test func `an asynchronous observer gets one snapshot at a time, and always the last`() async {
        let loadable = Loadable.just(0)
        let gate = TestGate()
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

    @Test func `waits grow, with jitter, and the error decides about the next attempt`() async throws {
        let clock = TestClock()
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

    @Test func `the last attempt's error is thrown, and a success in between ends the attempts`() async throws {
        for attempts in [1, 2, 3] {
            let clock = TestClock()
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
