import CLibcurl
import Cofferdam

/// Carries a body from the loop to its one consumer, and the consumer's pace back to the loop.
///
/// Nothing here calls libcurl: unpausing calls the write callback, which takes this lock.
final class StreamBuffer: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var waiting: CheckedContinuation<[UInt8]?, any Error>?
        var end: Result<Void, any Error>?
        var isPaused = false
    }

    enum Acceptance: Sendable {
        case taken
        /// The transfer is to pause; `unpause` will be posted.
        case full
    }

    private let state = Mutex(State())
    private let limit: Int
    private let mailbox: LoopMailbox
    private let id: TransferID

    init(limit: Int, mailbox: LoopMailbox, id: TransferID) {
        self.limit = limit
        self.mailbox = mailbox
        self.id = id
    }

    // MARK: The loop's side

    func append(_ chunk: UnsafeRawBufferPointer) -> Acceptance {
        // The buffer is written here alone, and read under the lock.
        let copy = [UInt8](chunk)
        return state.withLock { state in
            guard state.end == nil else { return .taken }
            if state.bytes.isEmpty {
                state.bytes = copy
            } else if state.bytes.count + copy.count <= limit {
                state.bytes += copy
            } else {
                state.isPaused = true
                return .full
            }
            return .taken
        }
    }

    /// Ends the body after what is buffered. The first end counts.
    func finish(throwing error: (any Error)?) {
        state.withLock { state in
            if state.end == nil { state.end = error.map { .failure($0) } ?? .success(()) }
        }
    }

    /// Gives a consumer who waits what there is.
    func flush() {
        var unpauses = false
        let (waiting, outcome) = state.withLock { state in
            guard state.waiting != nil, let outcome = Self.take(&state, unpauses: &unpauses) else {
                return (nil as CheckedContinuation<[UInt8]?, any Error>?, nil as Result<[UInt8]?, any Error>?)
            }
            return (state.waiting.take(), outcome)
        }
        if unpauses { mailbox.post(.unpause(id)) }
        if let waiting, let outcome { waiting.resume(with: outcome) }
    }

    // MARK: The consumer's side

    /// - Throws: `CancellationError` when the task is cancelled, which ends the transfer; the transfer's ``CurlError``.
    func next() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var unpauses = false
                let outcome = state.withLock { state -> Result<[UInt8]?, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.waiting != nil {
                        return .failure(CurlError(.invalidRequest, "the body is read by two at once", wasSent: true))
                    }
                    if let outcome = Self.take(&state, unpauses: &unpauses) { return outcome }
                    state.waiting = continuation
                    return nil
                }
                if unpauses { mailbox.post(.unpause(id)) }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            abandon()
        }
    }

    /// The consumer has gone: the transfer ends.
    func abandon() {
        let (waiting, wasOver) = state.withLock { state in
            let wasOver = state.end != nil
            state.bytes = []
            if !wasOver { state.end = .failure(CancellationError()) }
            return (state.waiting.take(), wasOver)
        }
        if !wasOver { mailbox.post(.cancel(id)) }
        waiting?.resume(throwing: CancellationError())
    }

    private static func take(_ state: inout State, unpauses: inout Bool) -> Result<[UInt8]?, any Error>? {
        guard state.bytes.isEmpty else {
            let bytes = state.bytes
            state.bytes = []
            unpauses = state.isPaused
            state.isPaused = false
            return .success(bytes)
        }
        return state.end.map { end in end.map { nil } }
    }
}
