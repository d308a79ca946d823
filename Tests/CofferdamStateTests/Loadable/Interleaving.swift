import Cofferdam
@testable import CofferdamState
import CofferdamTesting
import TestSupport

/// An external event of a loadable, besides the jobs of its tasks.
enum Happening: Hashable, Sendable {
    case call(Int)
    case cancel(Int)
    /// The oldest waiting load succeeds; if there is none, the next one.
    case finish
    /// The oldest waiting load fails; if there is none, the next one.
    case fail
    case supersede
    case invalidate
    case write
    case writeOptimistically
    /// The newest optimistic write is confirmed, or rolled back.
    case confirm
    case rollBack
    case reset
    case release
}

/// One loadable, its callers and its loads, on a hand-driven executor.
final class Interleaving {
    private struct Answer: Sendable {
        var result: Result<Int, any Error>
        /// The results that had committed at the time of the call.
        var committedBefore: [Int?]
        /// The number of invalidations at the time of the call.
        var invalidations: Int
        /// The number of loads that had begun at the time of the call.
        var loadsBefore: Int
    }

    /// Set in contents with an optimistic write.
    static let pending = 1 << 20
    private let executor = ManualExecutor()
    private let loads = HandLoads()
    private var loadable: Loadable<Int>?
    private weak var released: Loadable<Int>?
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var cancelled: Set<Int> = []
    private var happened: Set<Happening> = []
    private var expected = 0
    private let answers = Log<(caller: Int, answer: Answer)>()
    private let seen = Log<Int?>()
    private var token: ListenerToken?
    private var writes: [OptimisticWrite] = []

    init() {
        let loadable = Loadable<Int>(executor: executor) { [loads] in try await loads.load() }
        token = loadable.snapshots.listen { [seen] in seen.add($0.settledContents) }
        self.loadable = loadable
        released = loadable
    }

    var jobCount: Int { executor.count }
    func run(_ job: Int) { executor.run(job) }
    func drain(newestFirst: Bool = false) { executor.drain(newestFirst: newestFirst) }

    func perform(_ happening: Happening) {
        happened.insert(happening)
        switch happening {
        case .call(let caller): call(caller) { try await $0.fetch() }
        case .supersede: call(-1) { try await $0.refetch() }
        case .cancel(let caller):
            cancelled.insert(caller)
            tasks[caller]?.cancel()
        case .finish: loads.end(.success(()))
        case .fail: loads.end(.failure(TestError("failed")))
        case .invalidate:
            if loadable != nil { loads.noteInvalidation() }
            loadable?.invalidate()
        case .write: loadable?.set(1000)
        case .writeOptimistically:
            if let loadable { writes.append(loadable.writeOptimistically { ($0 ?? 0) | Self.pending }) }
        case .confirm: writes.popLast()?.confirm()
        case .rollBack: writes.popLast()?.rollBack()
        case .reset: loadable?.reset()
        case .release: loadable = nil
        }
    }

    private func call(_ caller: Int, _ fetch: @escaping @Sendable (Loadable<Int>) async throws -> Int) {
        guard let loadable else { return }
        expected += 1
        tasks[caller] = executor.task { [answers, loads, seen] in
            let (committedBefore, invalidations, loadsBefore) = (seen.entries, loads.invalidations, loads.count)
            let result: Result<Int, any Error>
            do { result = .success(try await fetch(loadable)) } catch { result = .failure(error) }
            let answer = Answer(
                result: result,
                committedBefore: committedBefore,
                invalidations: invalidations,
                loadsBefore: loadsBefore
            )
            answers.add((caller, answer))
        }
    }

    /// Runs everything to its end, and returns what is wrong; nil if nothing is.
    func conclude() -> String? {
        drain()
        // Once all callers have gone, the work must have ended by itself.
        if answers.entries.count == expected, loads.waitingCount > 0 { return "work goes on without callers" }
        var rounds = 0
        while loads.waitingCount > 0 {
            loads.end(.success(()))
            drain()
            rounds += 1
            if rounds > 20 { return "loads endlessly" }
        }
        while let write = writes.popLast() { write.rollBack() }
        let answers = self.answers.entries
        guard answers.count == expected else { return "\(expected - answers.count) callers hang" }
        for (caller, answer) in answers {
            if let wrong = wrong(answer, of: caller) { return "caller \(caller): \(wrong)" }
        }
        if let loadable {
            let snapshot = loadable.snapshot
            if snapshot.state == .syncing { return "still syncing" }
            if loadable.callerCount > 0 { return "callers left" }
            if snapshot.state == .failed, !happened.contains(.fail) { return "failed without a failure" }
            if snapshot.state == .failed, snapshot.error as? TestError != TestError("failed") {
                return "an unknown error"
            }
            if snapshot.contents.map({ $0 & Self.pending != 0 }) ?? false, !snapshot.isLocal {
                return "a pending change counts as an answer"
            }
            if !snapshot.isLocal, let contents = snapshot.settledContents {
                if contents >= 1000 { return "a local write counts as an answer" }
                let newest = answers.compactMap { try? $0.answer.result.get() & ~Self.pending }.max() ?? 0
                if contents < newest, !loadable.needsSync {
                    return "\(contents) is fresh, although \(newest) was the answer"
                }
            }
        }
        let values = seen.entries.compactMap { $0 }.filter { $0 < 1000 }
        if values != values.sorted() { return "an older answer overwrote a newer one: \(values)" }
        if Set(values).contains(where: { !loads.succeeded.contains($0) }) { return "a result of no load" }
        token = nil
        tasks = [:]
        loadable = nil
        if executor.count > 0 { return "jobs left" }
        return released == nil ? nil : "the loadable leaks"
    }

    private func wrong(_ answer: Answer, of caller: Int) -> String? {
        switch answer.result {
        case .success(let contents):
            let load = contents & ~Self.pending
            if !loads.succeeded.contains(load) { return "got a result of no load" }
            if answer.committedBefore.contains(load) { return "got a result from before its call" }
            if loads.invalidations(before: load) < answer.invalidations { return "got an invalidated result" }
            return caller < 0 && load <= answer.loadsBefore ? "got a superseded result" : nil
        case .failure(is CancellationError): return cancelled.contains(caller) ? nil : "cancelled by another"
        case .failure(let error as LoadableError):
            return error.code == .givenUp && happened.contains(.reset) ? nil : "\(error)"
        case .failure: return happened.contains(.fail) ? nil : "failed without a failure"
        }
    }
}

/// Loads that wait until the test decides their outcome, and end by themselves when cancelled.
final class HandLoads: Sendable {
    private struct State {
        var count = 0
        var waiting: [(load: Int, continuation: CheckedContinuation<Int, any Error>)] = []
        var ready: [Result<Void, any Error>] = []
        var invalidations = 0
        /// For each load, the number of invalidations when it began.
        var invalidationsBefore: [Int] = []
        var succeeded: Set<Int> = []

        mutating func result(_ load: Int, _ outcome: Result<Void, any Error>) -> Result<Int, any Error> {
            if case .success = outcome { succeeded.insert(load) }
            return outcome.map { load }
        }
    }

    private let state = Mutex(State())

    var waitingCount: Int { state.withLock { $0.waiting.count } }
    var count: Int { state.withLock { $0.count } }
    var invalidations: Int { state.withLock { $0.invalidations } }
    var succeeded: Set<Int> { state.withLock { $0.succeeded } }
    func invalidations(before load: Int) -> Int { state.withLock { $0.invalidationsBefore[load - 1] } }
    func noteInvalidation() { state.withLock { $0.invalidations += 1 } }

    func load() async throws -> Int {
        let load = state.withLock { state in
            state.count += 1
            state.invalidationsBefore.append(state.invalidations)
            return state.count
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Int, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if !state.ready.isEmpty { return state.result(load, state.ready.removeFirst()) }
                    state.waiting.append((load, continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.waiting.firstIndex { $0.load == load }.map { state.waiting.remove(at: $0) }
            }
            waiting?.continuation.resume(throwing: CancellationError())
        }
    }

    func end(_ outcome: Result<Void, any Error>) {
        let resumption = state.withLock { state -> (CheckedContinuation<Int, any Error>, Result<Int, any Error>)? in
            guard !state.waiting.isEmpty else {
                state.ready.append(outcome)
                return nil
            }
            let (load, continuation) = state.waiting.removeFirst()
            return (continuation, state.result(load, outcome))
        }
        if let (continuation, result) = resumption { continuation.resume(with: result) }
    }
}
