import Cofferdam

/// Writes to a cache, one thing at a time in the order of the calls; who reads waits for what was to be written before.
///
/// Calls wait for nobody, so they can be made with the store's lock held: what is kept last is what the store took last.
final class CacheQueue: Sendable {
    /// Changes entries of the cache.
    struct Job: Sendable {
        /// Whatever reads any of these, and has not shown it yet, is out of date.
        var scopes: [String]
        var run: @Sendable (any ModelCache) async throws -> Void
    }

    /// Stands in the queue until all before it is done.
    private final class Barrier: Sendable {
        let failure = Mutex<(any Error)?>(nil)
        let continuation: CheckedContinuation<(any Error)?, Never>

        init(_ continuation: CheckedContinuation<(any Error)?, Never>) { self.continuation = continuation }
    }

    private enum Step {
        case put(key: String, segment: Int)
        case job(Job)
        case barrier(Barrier)
    }

    private struct State {
        var steps: [Step] = []
        /// Bytes to be written, of each key the newest; they wait for nothing that was queued after them.
        var puts: [String: @Sendable () throws -> [UInt8]?] = [:]
        /// Counts the jobs: what is put after one is not written before it.
        var segment = 0
        var barriers: [Barrier] = []
        var isRunning = false
        /// Counts what is queued.
        var clock = 0
        var readers = 0
        /// When what was queued last, for as long as somebody reads.
        var changes: [String: Int] = [:]
        var wipedAt = 0
        /// How often everything was forgotten.
        var wipes = 0
    }

    private let cache: any ModelCache
    private let executor: (any TaskExecutor)?
    private let report: @Sendable (any Error) -> Void
    private let state = Mutex(State())

    init(
        _ cache: any ModelCache,
        executor: (any TaskExecutor)?,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        self.cache = cache
        self.executor = executor
        self.report = report
    }

    // MARK: Writing

    /// Keeps what `bytes` gives, or forgets the key if that is nil.
    func put(_ key: String, scope: String? = nil, _ bytes: @escaping @Sendable () throws -> [UInt8]?) {
        queue(scopes: [key, scope].compactMap { $0 }) { state in
            let place = "\(state.segment) \(key)"
            if state.puts.updateValue(bytes, forKey: place) == nil {
                state.steps.append(.put(key: key, segment: state.segment))
            }
        }
    }

    func add(_ job: Job) {
        queue(scopes: job.scopes) { state in
            state.segment += 1
            state.steps.append(.job(job))
        }
    }

    /// Forgets everything, also what is queued and not yet written.
    func wipe() {
        queue(scopes: []) { state in
            state.wipedAt = state.clock
            state.wipes += 1
            state.segment += 1
            state.puts = [:]
            state.steps.removeAll { if case .barrier = $0 { false } else { true } }
            state.steps.append(.job(Job(scopes: []) { try await $0.removeAll() }))
        }
    }

    private func queue(scopes: [String], _ change: (inout State) -> Void) {
        let isToRun = state.withLock { state in
            state.clock += 1
            if state.readers > 0 { for scope in scopes { state.changes[scope] = state.clock } }
            change(&state)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isToRun { _ = Task(executorPreference: executor) { await self.run() } }
    }

    /// Returns when everything that was queued before is done.
    ///
    /// - Throws: what the first of it that failed has thrown, which was reported too.
    func written() async throws {
        let failure = await withCheckedContinuation { continuation in
            queue(scopes: []) { state in
                let barrier = Barrier(continuation)
                state.steps.append(.barrier(barrier))
                state.barriers.append(barrier)
            }
        }
        if let failure { throw failure }
    }

    private func run() async {
        while let job = next() {
            do { try await job.run(cache) } catch {
                let barriers = state.withLock { $0.barriers }
                for barrier in barriers { barrier.failure.withLock { if $0 == nil { $0 = error } } }
                report(error)
            }
        }
    }

    private func next() -> Job? {
        while true {
            let (job, barrier, isOver) = state.withLock { state -> (Job?, Barrier?, Bool) in
                guard !state.steps.isEmpty else {
                    state.isRunning = false
                    return (nil, nil, true)
                }
                switch state.steps.removeFirst() {
                case .put(let key, let segment):
                    guard let bytes = state.puts.removeValue(forKey: "\(segment) \(key)") else {
                        return (nil, nil, false)
                    }
                    return (Job(scopes: []) { try await $0.set(try bytes(), for: key) }, nil, false)
                case .job(let job): return (job, nil, false)
                case .barrier(let barrier):
                    state.barriers.removeAll { $0 === barrier }
                    return (nil, barrier, false)
                }
            }
            if let barrier { barrier.continuation.resume(returning: barrier.failure.withLock { $0 }) }
            if isOver || job != nil { return job }
        }
    }

    // MARK: Reading

    var wipes: Int { state.withLock { $0.wipes } }

    /// Reads what was kept, after all that was queued before; again, if something that it has read has changed before it
    /// was taken.
    ///
    /// - Parameters:
    ///   - scopes: what may change it.
    ///   - take: takes what was read, if it finds that it is not outdated.
    func read<Value: Sendable>(
        scopes: [String],
        _ read: (any ModelCache) async throws -> Value,
        take: (Value, CacheReading) -> Void
    ) async throws {
        state.withLock { $0.readers += 1 }
        defer {
            state.withLock { state in
                state.readers -= 1
                if state.readers == 0 { state.changes = [:] }
            }
        }
        while true {
            let reading = CacheReading(self, scopes, begunAt: state.withLock { $0.clock })
            if state.withLock({ $0.isRunning }) { await idle() }
            let value = try await read(cache)
            try Task.checkCancellation()
            take(value, reading)
            if !reading.wasOutdated { return }
        }
    }

    fileprivate func haveChanged(_ scopes: [String], since begun: Int) -> Bool {
        state.withLock { state in
            state.wipedAt > begun || scopes.contains { state.changes[$0, default: 0] > begun }
        }
    }

    /// Whether what was queued before has succeeded is told to others.
    private func idle() async {
        do { try await written() } catch {}
    }
}

/// What is read while others may write.
final class CacheReading {
    private let queue: CacheQueue
    private let scopes: [String]
    private let begun: Int
    private(set) var wasOutdated = false

    fileprivate init(_ queue: CacheQueue, _ scopes: [String], begunAt begun: Int) {
        self.queue = queue
        self.scopes = scopes
        self.begun = begun
    }

    /// Whether what was read has changed since; then it is read again.
    func isOutdated() -> Bool {
        wasOutdated = queue.haveChanged(scopes, since: begun)
        return wasOutdated
    }
}
