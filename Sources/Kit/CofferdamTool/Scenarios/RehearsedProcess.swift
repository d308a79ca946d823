import Cofferdam
import CofferdamUpgrade

/// The app's process in a rehearsal. It can end in the middle of calls: nobody hears of them any more, and those of the candidate
/// stay in its file, as they do when a process is killed. Then the next one begins.
final class RehearsedProcess: CandidateCallLog {
    private struct State {
        var file: InFlightFile?
        var hasEnded = false
        var visits: AsyncStream<Never>.Continuation?
    }

    private let state = Mutex(State())
    private let path: String

    /// - Parameter directory: where the file is, which outlives each process.
    init(in directory: String) { path = "\(directory)/in-flight" }

    /// The next process begins, with what the one before has left.
    ///
    /// - Parameter now: in milliseconds since the rehearsal began.
    /// - Throws: ``UpgradeStoreError``.
    func begin(at now: Int64) throws -> InFlightFile {
        let file = try InFlightFile(path: path, now: now + 1)
        state.withLock { $0 = State(file: file) }
        return file
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// The process ends at once: what is under way stays so.
    func end() {
        let visits = state.withLock { state in
            // Nothing of this process is written any more.
            state.file?.abandon()
            state.file = nil
            state.hasEnded = true
            return state.visits
        }
        visits?.finish()
    }

    func began(_ call: CandidateCall) { state.withLock { $0.file?.began(call) } }
    func ended(_ call: CandidateCall) { state.withLock { $0.file?.ended(call) } }

    /// Does what only goes on while the process is there; otherwise it is cancelled.
    func live(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let hasEnded = state.withLock { state in
            state.visits = continuation
            return state.hasEnded
        }
        if hasEnded { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { for await _ in stream {} }
            group.addTask { try await body() }
            try await group.next()
        }
        try Task.checkCancellation()
    }
}

/// The process ended while this was under way.
struct AppEnded: Error, CustomStringConvertible {
    var description: String { "the app ended" }
}
