import Cofferdam

/// Writes to a cache, one job at a time in the order of the calls; a read waits for the writes before it.
///
/// Calls return at once, so they can be made with the store's lock held: the cache ends with what the store took last.
final class CacheQueue: Sendable {
    /// Changes entries of the cache.
    struct Job: Sendable {
        /// Whatever reads any of these, and has not shown it yet, is out of date.
        var scopes: [String]
        var run: @Sendable (any ModelCache) async throws -> Void
    }

    /// Stands in the queue until all before it is done.
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

    /// Of each key, the newest of what was put between two jobs.
    private struct Place: Hashable {
        let key: String
        let segment: Int
    }

    private enum Step {
        case put(Place)
        case job(Job)
        /// Forgets what is left of what was to be forgotten, for one who reads.
        case rest
        case barrier(Barrier)
    }

    private struct State {
        /// Those before `nextStep` are done.
        var steps: [Step] = []
        var nextStep = 0
        var puts: [Place: Put] = [:]
        /// When what was written of each key since the last job was queued.
        var written: [String: Int] = [:]
        /// Counts the jobs: what is put after one is not written before it.
        var segment = 0
        /// Those that are told of a failure.
        var barriers: [Barrier] = []
        /// The first failure that no waiting caller has got yet.
        var untold: (any Error)?
        var isRunning = false
        /// Counts what is queued.
        var clock = 0
        var readers = 0
        /// When each key was queued last, while there are readers.
        var changes: [String: Int] = [:]
        var wipedAt = 0
        /// How often everything was forgotten.
        var wipes = 0
        /// Why the cache still has what was to be forgotten. Until it has not, nothing is read from it or written to it.
        var wipeFailure: (any Error)?

        var step: Step? { nextStep < steps.count ? steps[nextStep] : nil }
    }

    /// So many entries are taken out of the queue at once.
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

    /// Keeps what `bytes` gives, or forgets the key if that is nil.
    ///
    /// - Parameter children: by key, what is inside and is to replace what the cache has there, if it has anything.
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

    /// Forgets everything, also what is queued and not yet written.
    func wipe() {
        queue(scopes: []) { state in
            state.wipedAt = state.clock
            state.wipes += 1
            state.segment += 1
            state.puts = [:]
            state.untold = nil
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

    /// Forgets what is left of what was to be forgotten; to be called before anything else is done with the cache.
    private func finishWiping() async throws {
        if state.withLock({ $0.wipeFailure != nil }) { try await wipe(cache) }
    }

    private func queue(scopes: [String], _ change: (inout State) -> Void) {
        let isToRun = state.withLock { state in
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
        if isToRun { _ = Task(executorPreference: executor) { await self.run() } }
    }

    /// Returns when everything that was queued before is done.
    ///
    /// - Throws: the error of the first write that failed, unless another waiting caller got it. It was reported too.
    func written() async throws {
        let failure = await withCheckedContinuation { continuation in
            queue(scopes: []) { state in
                let barrier = Barrier(continuation, after: state.untold.take())
                state.steps.append(.barrier(barrier))
                state.barriers.append(barrier)
            }
        }
        if let failure { throw failure }
    }

    private enum Work {
        case puts([Put])
        case job(Job)
        case rest
        case barrier(Barrier)
    }

    private func run() async {
        while let work = next() {
            switch work {
            case .puts(let puts): await write(puts)
            case .job(let job): await attempt(job.run)
            // Who reads looks whether it has failed.
            case .rest: do { try await finishWiping() } catch { report(error) }
            case .barrier(let barrier): barrier.continuation.resume(returning: barrier.failure.withLock { $0 })
            }
        }
    }

    /// As one write; if that fails, each by itself, so that one that cannot be kept does not keep the others from it.
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

    /// Those that were not written, or put into another one that was written, later than they were queued.
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
            if state.barriers.isEmpty, state.untold == nil { state.untold = error }
            return state.barriers
        }
        for barrier in barriers { barrier.failure.withLock { if $0 == nil { $0 = error } } }
        report(error)
    }

    /// The next work; nil if there is none, which ends the run.
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
            case .rest: return .rest
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

    /// Reads what was kept, after all that was queued before; again, if something that it has read has changed before it
    /// was taken.
    ///
    /// - Parameters:
    ///   - scopes: what may change it.
    ///   - take: takes what was read, if it finds that it is not outdated.
    /// - Throws: the cache's error; that of forgetting, for as long as what was to be forgotten is there.
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

    /// The keys and scopes that have changed since.
    fileprivate func changes(since begun: Int) -> Set<String> {
        state.withLock { Set($0.changes.lazy.filter { $0.value > begun }.map(\.key)) }
    }

    private func checkWiped() async throws {
        guard state.withLock({ $0.wipeFailure != nil }) else { return }
        queue(scopes: []) { $0.steps.append(.rest) }
        await idle()
        if let failure = state.withLock({ $0.wipeFailure }) { throw failure }
    }

    /// Whether what was queued before has succeeded is told to others.
    private func idle() async {
        _ = await withCheckedContinuation { continuation in
            queue(scopes: []) { $0.steps.append(.barrier(Barrier(continuation, after: nil))) }
        }
    }
}

/// What is read while others may write.
final class CacheReading {
    private let queue: CacheQueue
    private let scopes: [String]
    private let begun: Int
    private(set) var wasOutdated = false
    /// Nearly always nothing.
    private lazy var changes = queue.changes(since: begun)

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

    /// To be called of each model of what was read that the store does not know: if it has changed since, everything is read
    /// again. To be called in a turn, after ``isOutdated()``.
    func check(_ model: some StoreModel) {
        if !changes.isEmpty, let model = model as? any CachedModel { check(kept: model) }
    }

    private func check<Model: CachedModel>(kept model: Model) {
        if changes.contains(CacheKeys.model(Model.self, model.id)) { wasOutdated = true }
    }
}
