import Cofferdam
import CofferdamSupport
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

@Suite struct LoadableTests {
    /// The work of each run, whose outcome the test decides.
    private final class Work: Sendable {
        struct State {
            var runs = 0
            var cancelled = 0
            var waiting: [Int: CheckedContinuation<Int, any Error>] = [:]
        }

        let state = Mutex(State())
        /// Whether a cancelled run ends at once, as it should, or continues and returns late.
        let heedsCancellation: Bool

        init(heedsCancellation: Bool = true) { self.heedsCancellation = heedsCancellation }

        var runs: Int { state.withLock { $0.runs } }
        var cancelled: Int { state.withLock { $0.cancelled } }

        func load() async throws -> Int {
            let run = state.withLock { state in
                state.runs += 1
                return state.runs
            }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let isCancelled = state.withLock { state in
                        if heedsCancellation, Task.isCancelled { return true }
                        state.waiting[run] = continuation
                        return false
                    }
                    if isCancelled { continuation.resume(throwing: CancellationError()) }
                }
            } onCancel: {
                let waiting = state.withLock { state in
                    state.cancelled += 1
                    return heedsCancellation ? state.waiting.removeValue(forKey: run) : nil
                }
                waiting?.resume(throwing: CancellationError())
            }
        }

        func end(_ run: Int, _ result: Result<Int, any Error>) async {
            await until { self.state.withLock { $0.waiting[run] != nil } }
            state.withLock { $0.waiting.removeValue(forKey: run) }?.resume(with: result)
        }
    }

    private func loadable(_ work: Work, freshFor: Duration? = nil, clock: TestClock = TestClock()) -> Loadable<Int> {
        Loadable(freshFor: freshFor, clock: clock) { try await work.load() }
    }

    @Test func `contents are independent of the state: old ones stay during a run and after a failure`() async throws {
        let work = Work()
        let loadable = loadable(work)
        let log = Log<String>()
        let token = loadable.snapshots.listen { snapshot in
            let contents = snapshot.contents.map { "\($0)" } ?? "nothing"
            log.add("\(snapshot.state) \(contents)\(snapshot.error == nil ? "" : " error") \(snapshot.generation)")
        }
        let results: [Result<Int, any Error>] = [.success(1), .failure(TestError("lost")), .success(3)]
        for (run, result) in results.enumerated() {
            async let fetched = loadable.fetch()
            await work.end(run + 1, result)
            do { #expect(try await fetched == (try result.get())) } catch {
                #expect(error as? TestError == TestError("lost"))
            }
        }
        // The fetching task may have the result before the listeners.
        await until { log.entries.count >= 7 }
        #expect(
            log.entries == [
                "idle nothing 0",
                "syncing nothing 0", "succeeded 1 1",
                "syncing 1 1", "failed 1 error 2",
                "syncing 1 error 2", "succeeded 3 3",
            ]
        )
        token.cancel()
    }

    @Test(arguments: [false, true])
    func `any number of callers share one run and each gets its outcome`(isFailing: Bool) async {
        let work = Work()
        let loadable = loadable(work)
        let tasks = (0..<100).map { _ in Task { try await loadable.fetch() } }
        await until { loadable.callerCount == 100 }
        await work.end(1, isFailing ? .failure(TestError("lost")) : .success(7))
        for task in tasks {
            switch await task.result {
            case .success(let value): #expect(value == 7 && !isFailing)
            case .failure(let error): #expect(error as? TestError == TestError("lost") && isFailing)
            }
        }
        #expect(work.runs == 1)
    }

    @Test func `a cancelled caller leaves at once, the first one too, and the others keep the run`() async throws {
        let work = Work()
        let loadable = loadable(work)
        let first = Task { try await loadable.fetch() }
        await until { loadable.callerCount == 1 }
        let second = Task { try await loadable.fetch() }
        await until { loadable.callerCount == 2 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(work.cancelled == 0)
        await work.end(1, .success(1))
        #expect(try await second.value == 1)
    }

    @Test func `when the last caller leaves, the work is cancelled and the state is as before`() async throws {
        let work = Work()
        let loadable = loadable(work)
        let tasks = (0..<3).map { _ in Task { try await loadable.fetch() } }
        await until { loadable.callerCount == 3 && work.runs == 1 }
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        await until { work.cancelled == 1 }
        #expect(loadable.snapshot.state == .idle)
        #expect(loadable.snapshot.error == nil)
    }

    @Test(arguments: [false, true])
    func `a late answer of a run that was given up never commits, nor ends the next run`(isLater: Bool) async throws {
        let work = Work(heedsCancellation: false)
        let loadable = loadable(work)
        let given = Task { try await loadable.fetch() }
        await until { work.runs == 1 }
        given.cancel()
        _ = await given.result
        let second = Task { try await loadable.fetch() }
        await until { work.runs == 2 }
        for run in isLater ? [2, 1] : [1, 2] {
            await work.end(run, .success(run))
            for _ in 0..<1000 { await Task.yield() }
        }
        #expect(try await second.value == 2)
        #expect(loadable.snapshot.contents == 2)
        #expect(loadable.snapshot.generation == 1)
    }

    @Test(arguments: [false, true])
    func `a local write during a run survives it, and the run's callers get the run's outcome`(isFailing: Bool) async {
        let work = Work()
        let loadable = loadable(work)
        let fetching = Task { try await loadable.fetch() }
        await until { work.runs == 1 }
        loadable.set(42)
        #expect(loadable.snapshot.state == .syncing)
        await work.end(1, isFailing ? .failure(TestError("lost")) : .success(1))
        let fetched = await fetching.result
        #expect((try? fetched.get()) == (isFailing ? nil : 1))
        #expect(loadable.snapshot.contents == 42)
        #expect(loadable.snapshot.state == .succeeded)
        #expect(loadable.snapshot.error == nil)
        #expect(!loadable.needsSync)
    }

    @Test func `fetchIfNeeded loads only after a failure and for missing or stale contents`() async throws {
        let work = Work()
        let clock = TestClock()
        let loadable = loadable(work, freshFor: .seconds(10), clock: clock)
        #expect(loadable.needsSync)
        #expect(loadable.age == nil)
        async let first = loadable.fetchIfNeeded()
        await work.end(1, .success(1))
        #expect(try await first == 1)
        clock.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(!loadable.needsSync)
        #expect(try await loadable.fetchIfNeeded() == 1)
        #expect(work.runs == 1)
        clock.advance(by: .nanoseconds(1))
        #expect(loadable.needsSync)
        #expect(loadable.age == .seconds(10))
        async let synced: Void = loadable.syncIfNeeded()
        await work.end(2, .failure(TestError("lost")))
        await synced
        #expect(loadable.snapshot.state == .failed)
        #expect(loadable.needsSync)
        async let third = loadable.fetchIfNeeded()
        await work.end(3, .success(3))
        #expect(try await third == 3)
        #expect(!loadable.needsSync)
    }

    @Test func `during a run no sync is needed, and further callers join it`() async throws {
        let work = Work()
        let loadable = loadable(work)
        async let first = loadable.fetch()
        await until { work.runs == 1 }
        #expect(!loadable.needsSync)
        async let second = loadable.fetchIfNeeded()
        await until { loadable.callerCount == 2 }
        await work.end(1, .success(1))
        #expect(try await [first, second] == [1, 1])
        #expect(work.runs == 1)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `callers that come and leave at any time each get an answer or a cancellation`(
        seed: UInt64
    ) async {
        var random = SplitMix64(seed: seed)
        let loadable = Loadable<Int> {
            for _ in 0..<3 { await Task.yield() }
            try Task.checkCancellation()
            return 7
        }
        var tasks: [Task<Int, any Error>] = []
        for _ in 0..<60 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: tasks.append(Task { try await loadable.fetch() })
            case 1: tasks.append(Task { try await loadable.fetchIfNeeded() })
            case 2: tasks.randomElement(using: &random)?.cancel()
            default: loadable.set(7)
            }
            for _ in 0..<Int.random(in: 0..<3, using: &random) { await Task.yield() }
        }
        for task in tasks {
            switch await task.result {
            case .success(let value): #expect(value == 7)
            case .failure(let error): #expect(error is CancellationError && task.isCancelled)
            }
        }
        await until { loadable.callerCount == 0 }
        #expect(loadable.snapshot.state != .syncing)
    }

    @Test func `snapshots are a sequence of states whose first is the current one`() async {
        let loadable = Loadable<Int> { 5 }
        let log = Log<Int?>()
        let task = Task { for await snapshot in loadable.snapshots.states { log.add(snapshot.contents) } }
        await until { log.entries == [nil] }
        await loadable.sync()
        await until { log.entries.last == 5 }
        task.cancel()
        await task.value
    }

    @Test func `a deinitialiser of replaced contents may use the loadable, as no lock is held then`() async {
        final class Parting: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
            deinit { body() }
        }
        let partings = Log<Int>()
        let loadable = Loadable<Parting> { Parting {} }
        let parting = { @Sendable (count: Int) in
            Parting { [weak loadable] in
                loadable?.invalidate()
                partings.add(count)
            }
        }
        loadable.set(parting(1))
        loadable.set(parting(2))
        #expect(partings.entries == [1])
        loadable.update { _ in parting(3) }
        #expect(partings.entries == [1, 2])
        await loadable.sync()
        await until { partings.entries == [1, 2, 3] }
        loadable.set(parting(4))
        loadable.reset()
        #expect(partings.entries == [1, 2, 3, 4])
    }

    @Test func `runs use the given executor`() async throws {
        let executor = CountingExecutor()
        let loadable = Loadable<Int>(executor: executor) { 5 }
        #expect(try await loadable.fetch() == 5)
        #expect(executor.jobs > 0)
    }
}

/// Runs jobs inline, and counts them.
private final class CountingExecutor: TaskExecutor {
    private let count = Mutex(0)
    var jobs: Int { count.withLock { $0 } }

    func enqueue(_ job: consuming ExecutorJob) {
        count.withLock { $0 += 1 }
        let job = UnownedJob(job)
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
