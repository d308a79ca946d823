import Cofferdam
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

/// Checks for known defects of earlier libraries. An implementation with the defect fails its check.
@Suite struct LoadableDefectTests {
    /// The interface that the checks need, implemented by our loadable and by small fixtures with one defect each.
    protocol Candidate: Sendable {
        func fetch() async throws -> Int
        func write(_ value: Int)
        var contents: Int? { get }
    }

    struct Ours: Candidate {
        let loadable: Loadable<Int>
        init(_ load: @escaping @Sendable () async throws -> Int) { loadable = Loadable(load: load) }
        func fetch() async throws -> Int { try await loadable.fetch() }
        func write(_ value: Int) { loadable.set(value) }
        var contents: Int? { loadable.snapshot.contents }
    }

    /// Keeps only one caller: a later one replaces the one that waits.
    final class OneWaiter: Candidate {
        private struct State {
            var waiter: CheckedContinuation<Int?, Never>?
            var isRunning = false
            var contents: Int?
        }
        private let state = Mutex(State())
        private let load: @Sendable () async throws -> Int
        init(_ load: @escaping @Sendable () async throws -> Int) { self.load = load }
        var contents: Int? { state.withLock { $0.contents } }
        func write(_ value: Int) { state.withLock { $0.contents = value } }

        func fetch() async throws -> Int {
            let value: Int? = await withCheckedContinuation { continuation in
                let (lost, starts) = state.withLock { state in
                    defer { (state.waiter, state.isRunning) = (continuation, true) }
                    return (state.waiter, !state.isRunning)
                }
                // The original never resumes it; a test must.
                lost?.resume(returning: nil)
                guard starts else { return }
                Task {
                    let value = try? await load()
                    let waiter = state.withLock { state in
                        (state.contents, state.isRunning) = (value, false)
                        return state.waiter.take()
                    }
                    waiter?.resume(returning: value)
                }
            }
            guard let value else { throw TestError("forgotten") }
            return value
        }
    }

    /// The first caller does the work in its own task, and the others wait for its outcome.
    final class Leader: Candidate {
        private struct State {
            var leader: Task<Int, any Error>?
            var contents: Int?
        }
        private let state = Mutex(State())
        private let load: @Sendable () async throws -> Int
        init(_ load: @escaping @Sendable () async throws -> Int) { self.load = load }
        var contents: Int? { state.withLock { $0.contents } }
        func write(_ value: Int) { state.withLock { $0.contents = value } }

        func fetch() async throws -> Int {
            let (task, leads) = state.withLock { state in
                if let leader = state.leader { return (leader, false) }
                let task = Task { try await load() }
                state.leader = task
                return (task, true)
            }
            guard leads else { return try await task.value }
            let value = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            state.withLock { ($0.contents, $0.leader) = (value, nil) }
            return value
        }
    }

    private final class Held: Sendable {
        let double = LoadableDouble<Int>()
        /// A caller that comes too late to be held gets the others' result.
        var load: @Sendable () async throws -> Int { { [double] in try await double.loadable.fetchIfNeeded() } }
    }

    private func forgetsCallers(_ make: (@escaping @Sendable () async throws -> Int) -> any Candidate) async -> Bool {
        let held = Held()
        let candidate = make(held.load)
        let entered = Log<Void>()
        let tasks = (0..<3).map { _ in
            Task {
                entered.add(())
                return try await candidate.fetch()
            }
        }
        await until { entered.entries.count == 3 && held.double.waitingRunCount == 1 }
        for _ in 0..<1000 { await Task.yield() }
        held.double.succeed(1)
        var results: [Int?] = []
        for task in tasks { results.append(try? await task.value) }
        return results != [1, 1, 1]
    }

    @Test func `three concurrent callers all get the result, where the original resumes one`() async {
        #expect(await forgetsCallers { OneWaiter($0) })
        #expect(await !forgetsCallers { Ours($0) })
    }

    private func failsFollowers(_ make: (@escaping @Sendable () async throws -> Int) -> any Candidate) async -> Bool {
        let held = Held()
        let candidate = make(held.load)
        let leader = Task { try await candidate.fetch() }
        await until { held.double.waitingRunCount == 1 }
        let entered = TestGate()
        entered.open()
        let follower = Task {
            await entered.pass()
            return try await candidate.fetch()
        }
        await until { entered.arrivals == 1 }
        for _ in 0..<1000 { await Task.yield() }
        leader.cancel()
        _ = await leader.result
        held.double.succeed(1)
        return (try? await follower.value) != 1
    }

    @Test func `cancelling the first caller fails no other caller, where the original fails its followers`() async {
        #expect(await failsFollowers { Leader($0) })
        #expect(await !failsFollowers { Ours($0) })
    }

    private func overwrites(_ make: (@escaping @Sendable () async throws -> Int) -> any Candidate) async -> Bool {
        let held = Held()
        let candidate = make(held.load)
        let task = Task { try await candidate.fetch() }
        await until { held.double.waitingRunCount == 1 }
        candidate.write(42)
        held.double.succeed(1)
        _ = await task.result
        return candidate.contents != 42
    }

    @Test func `a value written during a run survives it, where the originals overwrite it`() async {
        #expect(await overwrites { OneWaiter($0) })
        #expect(await overwrites { Leader($0) })
        #expect(await !overwrites { Ours($0) })
    }

    @Test func `the snapshot says that a local write has survived a run`() async throws {
        let double = LoadableDouble<Int>()
        let task = Task { try await double.loadable.fetch() }
        await until { double.waitingRunCount == 1 }
        double.loadable.set(42)
        double.succeed(1)
        #expect(try await task.value == 1)
        #expect(double.loadable.snapshot.isLocal)
        let again = Task { try await double.loadable.fetch() }
        await until { double.waitingRunCount == 1 }
        double.succeed(2)
        _ = try await again.value
        #expect(!double.loadable.snapshot.isLocal)
    }

    @Test func `a cancelled follower leaves at once, where the original makes it wait for the leader`() async {
        let double = LoadableDouble<Int>()
        let leader = Task { try await double.loadable.fetch() }
        await until { double.callerCount == 1 }
        let follower = Task { try await double.loadable.fetch() }
        await until { double.callerCount == 2 }
        follower.cancel()
        // The run never ends, but the call must return.
        await #expect(throws: CancellationError.self) { try await follower.value }
        await until { double.waitingRunCount == 1 }
        leader.cancel()
        _ = await leader.result
    }

    @Test func `cancelling during a back-off stops at once, where the original runs all attempts that remain`() async {
        let clock = TestClock()
        let runs = Log<Void>()
        let loadable = Loadable<Int>(
            freshness: .always,
            retry: LoadRetry(maximumAttempts: 6, backoff: Backoff(jitter: 0)),
            clock: clock
        ) {
            runs.add(())
            throw TestError("always")
        }
        let task = Task { try await loadable.fetch() }
        await until { clock.sleeperCount == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await until { clock.sleeperCount == 0 }
        for _ in 0..<100 { await Task.yield() }
        #expect(runs.entries.count == 1)
        #expect(loadable.snapshot.state == .idle)
    }

    @Test func `the sequence of states begins with the current one, reaches every consumer, and ends by itself`() async
    {
        let lasts = Log<Int?>()
        var loadable: Loadable<Int>? = Loadable.just(1)
        let consumers = (0..<3).compactMap { _ in
            loadable.map { loadable in
                let states = loadable.snapshots.states
                return Task {
                    var last: Int?
                    var isFirst = true
                    for await snapshot in states {
                        if isFirst { #expect(snapshot.contents != nil) }
                        (last, isFirst) = (snapshot.contents, false)
                    }
                    lasts.add(last)
                }
            }
        }
        for value in 2...100 { loadable?.set(value) }
        loadable = nil
        for consumer in consumers { await consumer.value }
        #expect(lasts.entries == [100, 100, 100])
    }

    @Test func `a second failure notifies too, where the original drops it`() {
        let source = LoadableSource<Int>()
        let log = Log<TestError?>()
        let token = source.loadable.observe { log.add($0.error as? TestError) }
        source.fail(TestError("first"))
        source.fail(TestError("second"))
        #expect(log.entries == [nil, TestError("first"), TestError("second")])
        token.cancel()
    }

    @Test func `the last error stays during the next run, where the original clears it`() {
        let source = LoadableSource<Int>()
        source.fail(TestError("first"))
        source.setSyncing()
        #expect(source.loadable.snapshot.state == .syncing)
        #expect(source.loadable.snapshot.error as? TestError == TestError("first"))
    }

    @Test func `an observer may sync, write, invalidate and leave, where the original asserts`() async {
        let double = LoadableDouble<Int>()
        let token = Mutex<ListenerToken?>(nil)
        let log = Log<Int?>()
        let loadable = double.loadable
        let observation = loadable.observe { [weak loadable] snapshot in
            log.add(snapshot.contents)
            guard let loadable else { return }
            switch snapshot.contents {
            case 1: loadable.set(2)
            case 2 where !snapshot.isInvalidated: loadable.invalidate()
            case 3:
                let held = token.withLock { $0.take() }
                held?.cancel()
            default: break
            }
            if snapshot.isInvalidated { loadable.set(3) }
        }
        token.withLock { $0 = observation }
        double.succeed(1)
        #expect(log.entries == [nil, 1, 2, 2, 3])
        double.succeed(4)
        #expect(log.entries == [nil, 1, 2, 2, 3])
        #expect(double.observerCount == 0)
    }

    @Test func `an answer that comes after a newer one never commits`() async throws {
        let answers = Log<CheckedContinuation<Int, Never>>()
        let loadable = Loadable<Int> { await withCheckedContinuation { answers.add($0) } }
        let first = Task { try await loadable.fetch() }
        await until { answers.entries.count == 1 }
        let second = Task { try await loadable.refetch() }
        await until { answers.entries.count == 2 }
        answers.entries[1].resume(returning: 2)
        #expect(try await second.value == 2)
        #expect(try await first.value == 2)
        answers.entries[0].resume(returning: 1)
        for _ in 0..<1000 { await Task.yield() }
        #expect(loadable.snapshot.contents == 2)
        #expect(loadable.snapshot.generation == 1)
    }

    @Test func `a caller after an invalidation never gets an earlier run's result`() async throws {
        let double = LoadableDouble<Int>()
        let first = Task { try await double.loadable.fetch() }
        await until { double.runCount == 1 }
        double.loadable.invalidate()
        let second = Task { try await double.loadable.fetchIfNeeded() }
        await until { double.runCount == 2 && double.waitingRunCount == 1 }
        double.succeed(2)
        #expect(try await second.value == 2)
        #expect(try await first.value == 2)
        #expect(!double.loadable.needsSync)
    }

    @Test func `a run that an invalidation overtook commits, and does not count as fresh`() async throws {
        let double = LoadableDouble<Int>()
        let task = Task { try await double.loadable.fetch() }
        await until { double.runCount == 1 }
        double.loadable.invalidate()
        double.succeed(1)
        #expect(try await task.value == 1)
        #expect(double.loadable.snapshot.contents == 1)
        #expect(double.loadable.snapshot.isInvalidated)
        #expect(double.loadable.needsSync)
    }

    @Test func `reset and cancel resume all callers`() async {
        for isReset in [true, false] {
            let double = LoadableDouble<Int>()
            double.succeed(7)
            let tasks = (0..<3).map { _ in Task { try await double.loadable.fetch() } }
            await until { double.callerCount == 3 && double.waitingRunCount == 1 }
            if isReset { double.loadable.reset() } else { double.loadable.cancel() }
            for task in tasks {
                let error = await #expect(throws: LoadableError.self) { try await task.value }
                #expect(error?.code == .givenUp)
            }
            await until { double.cancelledRunCount == 1 }
            #expect(double.loadable.snapshot.contents == (isReset ? nil : 7))
            #expect(double.loadable.snapshot.state == (isReset ? .idle : .succeeded))
        }
    }

    @Test func `a loadable is released with its last reference, also after runs, failures and cancellations`() async {
        weak var released: Loadable<Int>?
        do {
            let double = LoadableDouble<Int>()
            released = double.loadable
            let task = Task { try await double.loadable.fetch() }
            await until { double.waitingRunCount == 1 }
            double.fail(TestError("a"))
            _ = await task.result
            let second = Task { try await double.loadable.fetch() }
            await until { double.waitingRunCount == 1 }
            second.cancel()
            _ = await second.result
        }
        await until { released == nil }
    }
}
