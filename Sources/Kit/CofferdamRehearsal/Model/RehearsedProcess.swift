import Cofferdam
import CofferdamUpgrade

/// The app's process in a rehearsal. It can crash during calls: their results are lost, and those of the candidate
/// stay in its file, as they do when a process is killed. Then the next one begins.
final class RehearsedProcess: Sendable {
    private struct State {
        var file: InFlightFile?
        var hasEnded = false
        var watching: AsyncStream<Never>.Continuation?
    }

    private let state = Mutex(State())
    private let path: String

    /// - Parameter directory: where the file is, which outlives each process.
    init(in directory: String) { path = "\(directory)/in-flight" }

    /// The next process begins, with what the one before has left.
    ///
    /// - Parameter now: in milliseconds since the rehearsal began.
    /// - Throws: `UpgradeStoreError`.
    func begin(at now: Int64) throws -> InFlightFile {
        let file = try InFlightFile(path: path, now: now + 1)
        state.withLock { $0 = State(file: file) }
        return file
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// The process ends at once: what is under way stays so.
    func end() {
        let watching = state.withLock { state in
            // Nothing of this process is written any more.
            state.file?.abandon()
            state.file = nil
            state.hasEnded = true
            return state.watching
        }
        watching?.finish()
    }

    /// Where the candidate's calls of the process that is there now are noted; nil between two processes. A call keeps it to its
    /// end: one that a process has left behind is no call of the next one's.
    var calls: (any CandidateCallLog)? { state.withLock { $0.file } }

    /// How many calls of the candidate are under way.
    var inFlight: Int { state.withLock { $0.file?.inFlight ?? 0 } }

    /// The process leaves in order, when nothing is under way any more.
    func leave() {
        state.withLock { state in
            state.file?.close()
            state.file = nil
        }
    }

    /// Returns when the process has ended in the middle of calls, or when it is cancelled. For one at a time.
    func ended() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let hasEnded = state.withLock { state in
            state.watching = continuation
            return state.hasEnded
        }
        if hasEnded { return }
        for await _ in stream {}
    }
}

/// The process ended while this was under way.
struct AppEnded: Error, CustomStringConvertible {
    var description: String { "the app ended" }
}
