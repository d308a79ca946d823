import Cofferdam
import CofferdamUpgrade

/// The app's process in a rehearsal. It can crash during calls: their results are lost, and the candidate's calls stay
/// in its file, as when a real process is killed. Then the next process begins.
final class RehearsedProcess: Sendable {
    private struct State {
        var file: InFlightFile?
        var hasEnded = false
        var watching: AsyncStream<Never>.Continuation?
    }

    private let state = Mutex(State())
    private let path: String

    /// - Parameter directory: the directory of the file, which outlives each process.
    init(in directory: String) { path = "\(directory)/in-flight" }

    /// Begins the next process, with the file that the previous one left.
    ///
    /// - Parameter now: in milliseconds since the rehearsal began.
    /// - Throws: `UpgradeStoreError`.
    func begin(at now: Int64) throws -> InFlightFile {
        let file = try InFlightFile(path: path, now: now + 1)
        state.withLock { $0 = State(file: file) }
        return file
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Ends the process at once. Calls in flight stay recorded as such.
    func end() {
        let watching = state.withLock { state in
            // This process writes nothing any more.
            state.file?.abandon()
            state.file = nil
            state.hasEnded = true
            return state.watching
        }
        watching?.finish()
    }

    /// The log of the candidate's calls in the current process; nil between two processes. A call keeps its log until
    /// it ends, so that a call left over from one process does not count for the next.
    var calls: (any CandidateCallLog)? { state.withLock { $0.file } }

    /// The number of the candidate's calls in flight.
    var inFlight: Int { state.withLock { $0.file?.inFlight ?? 0 } }

    /// Ends the process in order. No call may be in flight.
    func leave() {
        state.withLock { state in
            state.file?.close()
            state.file = nil
        }
    }

    /// Returns when the process has crashed, or when the task is cancelled. Only one task at a time may wait.
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

/// The process ended during the call.
struct AppEnded: Error, CustomStringConvertible {
    var description: String { "the app ended" }
}
