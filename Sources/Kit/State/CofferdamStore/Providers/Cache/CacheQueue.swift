import Cofferdam

/// Writes to a cache, one step at a time and in the order of the calls. A read waits for the writes before it.
///
/// Calls return at once, so that they can be made under the store's lock: the cache receives updates in the store's
/// order.
final class CacheQueue: Sendable {
    /// Changes entries of the cache.
    struct Job: Sendable {
        /// The keys and scopes that the job changes. It makes readings of them stale.
        var scopes: [String]
        var run: @Sendable (any ModelCache) async throws -> Void
    }

    /// Resumes a waiting caller when all steps before it are done.
    private final class Barrier: Sendable {
        let failure: Mutex<(any Error)?>
        let continuation: CheckedContinuation<(any Error)?, Never>

        init(_ continuation: CheckedContinuation<(any Error)?, Never>, after failure: (any Error)?) {
            self.continuation = continuation
            self.failure = Mutex(failure)
        }
    }

    private struct Put: Sendable {
        let key: String
        let queuedAt: Int
        let children: @Sendable () -> [String: any CachedModel]
        let bytes: @Sendable () throws -> [UInt8]?
    }

    /// Identifies a put: between two jobs, a later put of the same key replaces an earlier one.
    private struct Place: Hashable {
        let key: String
        let segment: Int
    }

    private enum Step {
        case put(Place)
        case job(Job)
        /// Retries a failed wipe before a read.
        case retryWipe
        case barrier(Barrier)
    }

    private struct State {
        /// The queue. The steps before `nextStep` are done.
        var steps: [Step] = []
        var nextStep = 0
        var puts: [Place: Put] = [:]
        /// For each key written since the last job, the clock at which that value was queued.
        var written: [String: Int] = [:]
        /// The number of jobs so far. A put never moves before an earlier job.
        var segment = 0
        /// The barriers that receive the next failure.
        var barriers: [Barrier] = []
        /// The first failure that no caller of `written()` has received yet.
        var unreported: (any Error)?
        var isRunning = false
        /// The number of steps queued so far.
        var clock = 0
        var readers = 0
        /// For each key and scope, the clock of its last change; recorded only while there are readers.
        var changes: [String: Int] = [:]
        var wipedAt = 0
        /// The number of wipes so far.
        var wipes = 0
        /// The error of the last wipe, until a retry succeeds. Until then the cache is neither read nor written.
        var wipeFailure: (any Error)?

        var step: Step? { nextStep < steps.count ? steps[nextStep] : nil }
    }

    /// The most puts that are written together.
    private static let batchLimit = 256

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

    /// Queues a write of the result of `bytes`; nil removes the key.
    ///
    /// - Parameter children: the children inside the value, by key. They replace the entries that the cache already
    ///   has.
    func put(
        _ key: String,
        scope: String? = nil,
        children: @escaping @Sendable () -> [String: any CachedModel] = { [:] },
        _ bytes: @escaping @Sendable () throws -> [UInt8]?
    ) {
        queue(scopes: [key, scope].compactMap { $0 }) { state in
            let place = Place(key: key, segment: state.segment)
            let put = Put(key: key, queuedAt: state.clock, children: children, bytes: bytes)
            if state.puts.updateValue(put, forKey: place) == nil {
                state.steps.append(.put(place))
            }
        }
    }

    func add(_ job: Job) {
        queue(scopes: job.scopes) { state in
            state.segment += 1
            state.steps.append(.job(job))
        }
    }

    /// Removes everything from the cache and drops queued writes.
    func wipe() {
        queue(scopes: []) { state in
            state.wipedAt = state.clock
            state.wipes += 1
            state.segment += 1
            state.puts = [:]
            state.unreported = nil
            state.steps = state.steps[state.nextStep...].filter { if case .barrier = $0 { true } else { false } }
            state.nextStep = 0
            state.steps.append(.job(Job(scopes: []) { [self] in try await wipe($0) }))
        }
    }

    private func wipe(_ cache: any ModelCache) async throws {
        do { try await cache.removeAll() } catch {
            state.withLock { $0.wipeFailure = error }
            throw error
        }
        state.withLock { $0.wipeFailure = nil }
    }

    /// Retries a failed wipe. Call it before any other use of the cache.
    private func finishWiping() async throws {
        if state.withLock({ $0.wipeFailure != nil }) { try await wipe(cache) }
    }

    private func queue(scopes: [String], _ change: (inout State) -> Void) {
        let shouldRun = state.withLock { state in
            state.clock += 1
            if state.readers > 0 { for scope in scopes { state.changes[scope] = state.clock } }
            change(&state)
            if state.nextStep > Self.batchLimit, state.nextStep * 2 > state.steps.count {
                state.steps.removeFirst(state.nextStep)
                state.nextStep = 0
            }
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if shouldRun { _ = Task(executorPreference: executor) { await self.run() } }
    }

    /// Waits until everything queued so far is done.
    ///
    /// - Throws: the error of the first write that failed and that no earlier caller received. It was also reported.
    func written() async throws {
        let failure = await withCheckedContinuation { continuation in
            queue(scopes: []) { state in
                let barrier = Barrier(continuation, after: state.unreported.take())
                state.steps.append(.barrier(barrier))
                state.barriers.append(barrier)
            }
        }
        if let failure { throw failure }
    }

    private enum Work {
        case puts([Put])
        case job(Job)
        case retryWipe
        case barrier(Barrier)
    }

    private func run() async {
        while let work = next() {
            switch work {
            case .puts(let puts): await write(puts)
            case .job(let job): await attempt(job.run)
            // The reader checks `wipeFailure` afterwards.
            case .retryWipe: do { try await finishWiping() } catch { report(error) }
            case .barrier(let barrier): barrier.continuation.resume(returning: barrier.failure.withLock { $0 })
            }
        }
    }

    /// Writes all puts as one; if that fails, each separately, so that one bad entry does not prevent the others.
    private func write(_ puts: [Put]) async {
        do { try await finishWiping() } catch {
            for _ in puts { fail(error) }
            return
        }
        do { try await cache.set(entries(puts)) } catch {
            for put in puts { await attempt { try await $0.set(self.entries([put])) } }
        }
    }

    private func entries(_ puts: [Put]) async throws -> [ModelCacheEntry] {
        var entries = try puts.map { ModelCacheEntry($0.key, try $0.bytes()) }
        let children = newestChildren(of: puts)
        guard !children.isEmpty else { return entries }
        for (key, bytes) in try await cache.bytes(for: Array(children.keys)) {
            guard let child = children[key], !child.isKept(as: bytes, for: key) else { continue }
            entries.append(ModelCacheEntry(key, try encoded(child, for: key)))
        }
        return entries
    }

    /// The children of `puts`, without those of which a newer value was already written.
    private func newestChildren(of puts: [Put]) -> [String: any CachedModel] {
        var newest: [String: any CachedModel] = [:]
        for put in puts {
            let children = put.children()
            guard !children.isEmpty else { continue }
            state.withLock { state in
                for (key, child) in children where key != put.key && state.written[key, default: 0] <= put.queuedAt {
                    state.written[key] = put.queuedAt
                    newest[key] = child
                }
            }
        }
        return newest
    }

    private func attempt(_ run: (any ModelCache) async throws -> Void) async {
        do {
            try await finishWiping()
            try await run(cache)
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: any Error) {
        let barriers = state.withLock { state in
            if state.barriers.isEmpty, state.unreported == nil { state.unreported = error }
            return state.barriers
        }
        for barrier in barriers { barrier.failure.withLock { if $0 == nil { $0 = error } } }
        report(error)
    }

    /// The next work; nil ends the run.
    private func next() -> Work? {
        state.withLock { state in
            var puts: [Put] = []
            while case .put(let place)? = state.step, puts.count < Self.batchLimit {
                state.nextStep += 1
                guard let put = state.puts.removeValue(forKey: place) else { continue }
                puts.append(put)
                state.written[put.key] = put.queuedAt
            }
            if !puts.isEmpty { return .puts(puts) }
            let step = state.step
            state.nextStep += 1
            switch step {
            case .job(let job):
                state.written = [:]
                return .job(job)
            case .retryWipe: return .retryWipe
            case .barrier(let barrier):
                state.barriers.removeAll { $0 === barrier }
                return .barrier(barrier)
            case .put, nil:
                (state.steps, state.nextStep, state.isRunning, state.written) = ([], 0, false, [:])
                return nil
            }
        }
    }

    // MARK: Reading

    var wipes: Int { state.withLock { $0.wipes } }

    /// Reads from the cache after all earlier writes are done. Reads again if the result became stale before `take`
    /// used it.
    ///
    /// - Parameters:
    ///   - scopes: the keys and scopes whose changes make the result stale.
    ///   - take: uses the result, unless ``CacheReading/isOutdated()`` or ``CacheReading/check(_:)`` finds it stale.
    /// - Throws: the cache's error, or the error of a wipe that has not succeeded yet.
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
            try await checkWiped()
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

    /// The keys and scopes that have changed since `begun`.
    fileprivate func changes(since begun: Int) -> Set<String> {
        state.withLock { Set($0.changes.lazy.filter { $0.value > begun }.map(\.key)) }
    }

    private func checkWiped() async throws {
        guard state.withLock({ $0.wipeFailure != nil }) else { return }
        queue(scopes: []) { $0.steps.append(.retryWipe) }
        await idle()
        if let failure = state.withLock({ $0.wipeFailure }) { throw failure }
    }

    /// Waits until everything queued so far is done, and leaves its failures to callers of `written()`.
    private func idle() async {
        _ = await withCheckedContinuation { continuation in
            queue(scopes: []) { $0.steps.append(.barrier(Barrier(continuation, after: nil))) }
        }
    }
}

/// A read in progress, which notices writes that make its result stale.
final class CacheReading {
    private let queue: CacheQueue
    private let scopes: [String]
    private let begun: Int
    private(set) var wasOutdated = false
    /// The keys and scopes changed since the read began; nearly always empty.
    private lazy var changes = queue.changes(since: begun)

    fileprivate init(_ queue: CacheQueue, _ scopes: [String], begunAt begun: Int) {
        self.queue = queue
        self.scopes = scopes
        self.begun = begun
    }

    /// Whether the result is stale; if so, the queue reads again.
    func isOutdated() -> Bool {
        wasOutdated = queue.haveChanged(scopes, since: begun)
        return wasOutdated
    }

    /// Makes the queue read again if the cache's entry of this model has changed since the read began. Call it in a
    /// turn, after ``isOutdated()``, for each model of the result that the store does not have.
    func check(_ model: some StoreModel) {
        if !changes.isEmpty, let model = model as? any CachedModel { check(kept: model) }
    }

    private func check<Model: CachedModel>(kept model: Model) {
        if changes.contains(CacheKeys.model(Model.self, model.id)) { wasOutdated = true }
    }
}
