#if Curl
import Cofferdam
import CofferdamSupport

/// Carries a body from the loop to its single consumer, with back-pressure.
///
/// Never calls libcurl, because unpausing calls the write callback, which takes this lock.
final class StreamBuffer: Sendable {
    private struct State {
        /// The bytes the consumer has not taken: the first `count` bytes of the block.
        var block: ByteBlock?
        var count = 0
        // Unsafe, because a checked one allocates. It is resumed exactly once: the code that resumes it first removes
        // it from the state, under the lock, and the transfer always ends.
        var waiting: UnsafeContinuation<CurlBytes?, any Error>?
        var end: Result<Void, any Error>?
        var isPaused = false
        /// The number of bytes received.
        var size = 0
        /// Records the body's end.
        var observation: RequestObservation?
        /// The writing transfer; released at the end, because the transfer holds this buffer too.
        var transfer: Transfer?
    }

    enum Acceptance: Sendable {
        case taken
        /// The transfer must pause; `resume` will be posted.
        case full
    }

    /// Up to this size, in bytes, a copy is cheaper than giving a block away.
    private static let smallest = 4 << 10
    /// The most that libcurl delivers at once, in bytes.
    private static let largestChunk = 128 << 10

    private let state = Mutex(State())
    private let fence = SanitizerFence()
    private let limit: Int
    private let blockSize: Int
    let pool: BlockPool
    private let mailbox: LoopMailbox

    /// - Parameters:
    ///   - limit: how many bytes the loop may be ahead of the consumer.
    ///   - blockSize: the initial memory, in bytes; by default up to the limit.
    init(limit: Int, blockSize: Int? = nil, pool: BlockPool, mailbox: LoopMailbox) {
        self.limit = max(limit, Self.largestChunk)
        self.blockSize = blockSize ?? self.limit
        self.pool = pool
        self.mailbox = mailbox
    }

    func attach(_ transfer: Transfer) { state.withLock { $0.transfer = transfer } }

    // MARK: The loop's side

    func append(_ chunk: UnsafeRawBufferPointer) -> Acceptance {
        state.withLock { state in
            guard state.end == nil else { return .taken }
            let needed = state.count + chunk.count
            guard state.count == 0 || needed <= limit else {
                state.isPaused = true
                return .full
            }
            let block = block(atLeast: needed, &state)
            let target = UnsafeMutableRawBufferPointer(start: block.start + state.count, count: chunk.count)
            target.copyMemory(from: chunk)
            state.count = needed
            state.size += chunk.count
            return .taken
        }
    }

    /// Returns the block, grown if necessary, with the bytes the consumer has not taken.
    private func block(atLeast needed: Int, _ state: inout State) -> ByteBlock {
        if let block = state.block, needed <= block.capacity { return block }
        let larger = pool.block(atLeast: max(needed, state.block == nil ? blockSize : 2 * state.count))
        if let block = state.block {
            UnsafeMutableRawBufferPointer(start: larger.start, count: state.count)
                .copyMemory(from: UnsafeRawBufferPointer(start: block.start, count: state.count))
        }
        state.block = larger
        return larger
    }

    /// Ends the body after the buffered bytes. The first end counts.
    func finish(throwing error: (any Error)?) {
        let (observation, size) = state.withLock { state in
            state.transfer = nil
            if state.end == nil { state.end = error.map { .failure($0) } ?? .success(()) }
            return (state.observation.take(), state.size)
        }
        observation?.end(with: error.map { .failure($0) } ?? .success(()), bodySize: size)
    }

    /// Sets the observation that records the body's end, which may already have been reached.
    func observe(_ observation: RequestObservation) {
        let past = state.withLock { state -> (end: Result<Void, any Error>, size: Int)? in
            if let end = state.end { return (end, state.size) }
            state.observation = observation
            return nil
        }
        if let past { observation.end(with: past.end, bodySize: past.size) }
    }

    /// Whether the next read probably brings more, and there is room for it.
    var expectsMore: Bool {
        state.withLock { $0.end == nil && $0.count >= Self.largestChunk / 2 && $0.count + Self.largestChunk <= limit }
    }

    /// Delivers the buffered bytes to a waiting consumer.
    func flush() {
        var paused: Transfer?
        let (waiting, outcome) = state.withLock { state in
            guard state.waiting != nil, let outcome = Self.take(&state, &paused) else {
                return (nil as UnsafeContinuation<CurlBytes?, any Error>?, nil as Result<CurlBytes?, any Error>?)
            }
            return (state.waiting.take(), outcome)
        }
        if let paused { mailbox.post(.resume(paused)) }
        fence.release()
        if let waiting, let outcome { waiting.resume(with: outcome) }
    }

    // MARK: The consumer's side

    /// - Throws: `CancellationError` when the task is cancelled, which ends the transfer; the transfer's ``CurlError``.
    func next() async throws -> CurlBytes? {
        defer { fence.acquire() }
        if let outcome = outcome(orWaiting: nil) { return try outcome.get() }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                if let outcome = outcome(orWaiting: continuation) { continuation.resume(with: outcome) }
            }
        } onCancel: {
            abandon()
        }
    }

    /// Returns what there is to return at once; otherwise the consumer waits.
    private func outcome(
        orWaiting continuation: UnsafeContinuation<CurlBytes?, any Error>?
    ) -> Result<CurlBytes?, any Error>? {
        if Task.isCancelled {
            abandon()
            return .failure(CancellationError())
        }
        var paused: Transfer?
        let outcome = state.withLock { state -> Result<CurlBytes?, any Error>? in
            if state.waiting != nil { return .failure(Self.isReadTwice) }
            if let outcome = Self.take(&state, &paused) { return outcome }
            state.waiting = continuation
            return nil
        }
        if let paused { mailbox.post(.resume(paused)) }
        return outcome
    }

    static let isReadTwice = CurlError(.invalidRequest, "the body has two concurrent readers", wasSent: true)

    /// Ends the transfer when the consumer stops reading.
    func abandon() {
        let (waiting, transfer, observation) = state.withLock { state in
            let transfer = state.transfer.take()
            state.block = nil
            state.count = 0
            if state.end == nil { state.end = .failure(CancellationError()) }
            return (state.waiting.take(), transfer, state.observation.take())
        }
        observation?.abandon()
        if let transfer { mailbox.post(.cancel(transfer)) }
        waiting?.resume(throwing: CancellationError())
    }

    /// - Parameter paused: set to the transfer if it must resume.
    private static func take(_ state: inout State, _ paused: inout Transfer?) -> Result<CurlBytes?, any Error>? {
        guard let block = state.block, state.count > 0 else { return state.end.map { end in end.map { nil } } }
        let bytes: CurlBytes
        if state.count <= smallest {
            bytes = CurlBytes(Array(UnsafeRawBufferPointer(start: block.start, count: state.count)))
        } else {
            bytes = CurlBytes(block, count: state.count)
            state.block = nil
        }
        state.count = 0
        if state.isPaused { paused = state.transfer }
        state.isPaused = false
        return .success(bytes)
    }
}
#endif
