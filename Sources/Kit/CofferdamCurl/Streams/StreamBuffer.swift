import Cofferdam

/// Carries a body from the loop to its one consumer, and the consumer's pace back to the loop.
///
/// Nothing here calls libcurl: unpausing calls the write callback, which takes this lock.
final class StreamBuffer: Sendable {
    private struct State {
        /// What the consumer has not taken: the first `count` bytes of the block.
        var block: ByteBlock?
        var count = 0
        var waiting: CheckedContinuation<CurlBytes?, any Error>?
        var end: Result<Void, any Error>?
        var isPaused = false
        /// In bytes, of all that came.
        var size = 0
        /// Who is told of the end.
        var observation: RequestObservation?
        /// Who writes, until the end: the transfer holds this buffer too.
        var transfer: Transfer?
    }

    enum Acceptance: Sendable {
        case taken
        /// The transfer is to pause; `resume` will be posted.
        case full
    }

    /// Up to here a copy is cheaper than giving a block away.
    private static let smallest = 4 << 10
    /// The most that libcurl gives at once.
    private static let largestChunk = 128 << 10

    private let state = Mutex(State())
    private let fence = SanitizerFence()
    private let limit: Int
    private let blockSize: Int
    let pool: BlockPool
    private let mailbox: LoopMailbox

    /// - Parameters:
    ///   - limit: how many bytes the loop may be ahead.
    ///   - blockSize: how much memory there is from the first of them on; up to the limit by default.
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

    /// The block, a larger one when need be, with what the consumer has not taken.
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

    /// Ends the body after what is buffered. The first end counts.
    func finish(throwing error: (any Error)?) {
        let (observation, size) = state.withLock { state in
            state.transfer = nil
            if state.end == nil { state.end = error.map { .failure($0) } ?? .success(()) }
            return (state.observation.take(), state.size)
        }
        observation?.end(with: error.map { .failure($0) } ?? .success(()), bodySize: size)
    }

    /// Whom to tell of the end, be it past or to come.
    func observe(_ observation: RequestObservation) {
        let past = state.withLock { state -> (end: Result<Void, any Error>, size: Int)? in
            if let end = state.end { return (end, state.size) }
            state.observation = observation
            return nil
        }
        if let past { observation.end(with: past.end, bodySize: past.size) }
    }

    /// Gives a consumer who waits what there is.
    func flush() {
        var paused: Transfer?
        let (waiting, outcome) = state.withLock { state in
            guard state.waiting != nil, let outcome = Self.take(&state, &paused) else {
                return (nil as CheckedContinuation<CurlBytes?, any Error>?, nil as Result<CurlBytes?, any Error>?)
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
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var paused: Transfer?
                let outcome = state.withLock { state -> Result<CurlBytes?, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.waiting != nil {
                        return .failure(Self.isReadTwice)
                    }
                    if let outcome = Self.take(&state, &paused) { return outcome }
                    state.waiting = continuation
                    return nil
                }
                if let paused { mailbox.post(.resume(paused)) }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            abandon()
        }
    }

    static let isReadTwice = CurlError(.invalidRequest, "the body is read by two at once", wasSent: true)

    /// The consumer has gone: the transfer ends.
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

    /// - Parameter paused: the transfer, when it is to go on.
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
