#if SQLite
import Cofferdam
import Dispatch

/// Runs the jobs of a file one at a time, in the order of the calls, away from the callers' threads.
final class CacheJobs: Sendable {
    private struct Write: Sendable {
        let entries: [ModelCacheEntry]
        let complete: @Sendable (Result<Void, any Error>) -> Void
    }

    private enum Job: Sendable {
        case write(Write)
        case other(@Sendable (inout CacheFile) -> Void)
    }

    private struct State {
        var waiting: [(id: Int, job: Job)] = []
        var lastID = 0
        var isAtWork = false
    }

    private let state = Mutex(State())
    private let file: Mutex<CacheFile>
    /// The disk blocks the thread, so it is not one of those that tasks share.
    private let queue = DispatchQueue(label: "cofferdam.cache")

    init(_ file: sending CacheFile) { self.file = Mutex(file) }

    func write(_ entries: [ModelCacheEntry]) async throws {
        try await vendorCall { add(.write(Write(entries: entries, complete: $0))) }
    }

    func run<Value: Sendable>(
        _ body: @escaping @Sendable (inout CacheFile) throws -> Value
    ) async throws -> Value {
        try await vendorCall { complete in
            add(.other { file in complete(Result { try body(&file) }) })
        }
    }

    private func add(_ job: Job) -> VendorCancellation {
        let (id, isFirst) = state.withLock { state in
            state.lastID += 1
            state.waiting.append((state.lastID, job))
            let isFirst = !state.isAtWork
            state.isAtWork = true
            return (state.lastID, isFirst)
        }
        if isFirst { queue.async { self.work() } }
        return VendorCancellation { self.giveUp(id) }
    }

    private func giveUp(_ id: Int) { state.withLock { $0.waiting.removeAll { $0.id == id } } }

    private func work() {
        while let jobs = takeWaiting() {
            file.withLock { file in
                var writes: [Write] = []
                for job in jobs {
                    switch job {
                    case .write(let write): writes.append(write)
                    case .other(let body):
                        Self.perform(writes, on: &file)
                        writes = []
                        body(&file)
                    }
                }
                Self.perform(writes, on: &file)
            }
        }
    }

    /// The waiting jobs; nil if there are none.
    private func takeWaiting() -> [Job]? {
        state.withLock { state in
            let jobs = state.waiting.map(\.job)
            state.waiting = []
            state.isAtWork = !jobs.isEmpty
            return jobs.isEmpty ? nil : jobs
        }
    }

    /// Performs the writes in one transaction, which costs hardly more than one of them; if that fails, each
    /// separately, so that only the faulty ones fail.
    private static func perform(_ writes: [Write], on file: inout CacheFile) {
        guard !writes.isEmpty else { return }
        do {
            try file.write(writes.flatMap(\.entries))
            for write in writes { write.complete(.success(())) }
        } catch {
            guard writes.count > 1 else { return writes[0].complete(.failure(error)) }
            for write in writes { perform([write], on: &file) }
        }
    }
}
#endif
