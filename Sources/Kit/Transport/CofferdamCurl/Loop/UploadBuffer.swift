#if Curl
import Cofferdam

/// Carries a request's body from the producing task to the loop, with back-pressure.
final class UploadBuffer: Sendable {
    /// The result of libcurl's read callback.
    enum Reading {
        case bytes(Int)
        /// Nothing is buffered yet; `resumeUpload` will be posted.
        case wait
        case failed(any Error)
    }

    private struct State {
        var blocks: [CurlBytes] = []
        /// The number of bytes of the first block that were sent.
        var offset = 0
        var queued = 0
        /// The number of bytes still expected; `nil` when unknown.
        var remaining: Int?
        var end: Result<Void, any Error>?
        var isReaderWaiting = false
        /// The reading transfer; released at the end, because the transfer holds this buffer too.
        var transfer: Transfer?
        var producer: Task<Void, Never>?
        var waiting: CheckedContinuation<Void, any Error>?
        var isAbandoned = false
        /// How often the body was rewound: a producer of an earlier round is ignored.
        var round = 0

        /// Returns the transfer if it waits for more.
        mutating func takeSleeper() -> Transfer? {
            defer { isReaderWaiting = false }
            return isReaderWaiting ? transfer : nil
        }
    }

    private static let limit = 256 << 10

    private let state: Mutex<State>
    private let length: Int?
    private let produce: CurlRequestBody.Producer
    private let executor: (any TaskExecutor)?
    private let mailbox: LoopMailbox

    private init(
        length: Int?,
        executor: (any TaskExecutor)?,
        mailbox: LoopMailbox,
        produce: @escaping CurlRequestBody.Producer
    ) {
        state = Mutex(State(remaining: length))
        self.length = length
        self.executor = executor
        self.mailbox = mailbox
        self.produce = produce
    }

    /// Returns a buffer for the request's body; `nil` for a body in memory.
    static func of(_ request: PreparedRequest, executor: (any TaskExecutor)?, mailbox: LoopMailbox) -> UploadBuffer? {
        let produce: CurlRequestBody.Producer
        switch request.body.content {
        case .bytes: return nil
        case .file(let path): produce = { try await FileUpload.send(path, to: $0) }
        case .stream(_, let blocks): produce = blocks
        }
        return UploadBuffer(length: request.bodySize, executor: executor, mailbox: mailbox, produce: produce)
    }

    func attach(_ transfer: Transfer) { state.withLock { $0.transfer = transfer } }

    // MARK: The loop's side

    /// Fills `buffer` with available bytes. The first call starts the producer.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
        start()
        let (reading, waiting) = state.withLock { state -> (Reading, CheckedContinuation<Void, any Error>?) in
            let reading = Self.read(&state, into: buffer)
            return (reading, state.queued < Self.limit ? state.waiting.take() : nil)
        }
        waiting?.resume()
        return reading
    }

    private static func read(_ state: inout State, into buffer: UnsafeMutableRawBufferPointer) -> Reading {
        // The whole announced length is buffered. libcurl would not ask whether more follows, so it gets the rest only
        // once the sequence has ended.
        if state.remaining == 0 {
            switch state.end {
            case .success: break
            case .failure(let error): return .failed(error)
            case nil:
                state.isReaderWaiting = true
                return .wait
            }
        }
        var filled = 0
        while filled < buffer.count, let block = state.blocks.first {
            let count = min(buffer.count - filled, block.count - state.offset)
            block.withUnsafeBytes { bytes in
                let part = UnsafeRawBufferPointer(rebasing: bytes[state.offset..<state.offset + count])
                UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: part)
            }
            filled += count
            state.offset += count
            state.queued -= count
            if state.offset == block.count {
                state.blocks.removeFirst()
                state.offset = 0
            }
        }
        if filled > 0 { return .bytes(filled) }
        switch state.end {
        case .success: return .bytes(0)
        case .failure(let error): return .failed(error)
        case nil:
            state.isReaderWaiting = true
            return .wait
        }
    }

    private func start() {
        let round = state.withLock { $0.producer == nil && !$0.isAbandoned ? $0.round : nil }
        guard let round else { return }
        // Unstructured, because libcurl may still send while the reply is consumed. `abandon` ends it.
        let producer = Task(executorPreference: executor) {
            do {
                try await self.produce { try await self.put($0, round) }
                self.finish(nil, round)
            } catch {
                self.finish(error, round)
            }
        }
        let isLate = state.withLock { state in
            state.producer = producer
            return state.isAbandoned
        }
        if isLate { producer.cancel() }
    }

    /// Begins the body again.
    ///
    /// - Returns: whether that is possible.
    func rewind(isReplayable: Bool) -> Bool {
        guard state.withLock({ $0.producer != nil }) else { return true }
        guard isReplayable else { return false }
        let (producer, waiting) = state.withLock { state in
            (state.blocks, state.offset, state.queued) = ([], 0, 0)
            (state.remaining, state.end) = (length, nil)
            state.round += 1
            return (state.producer.take(), state.waiting.take())
        }
        producer?.cancel()
        waiting?.resume(throwing: CancellationError())
        // Now: libcurl may still be paused, until this producer resumes it.
        start()
        return true
    }

    /// Stops waiting for the producer: the server has refused the request, and libcurl sends no more.
    func stopWaiting() {
        if let sleeper = state.withLock({ $0.takeSleeper() }) { mailbox.post(.resume(sleeper)) }
    }

    /// Stops the producer when the transfer is over.
    func abandon() {
        let (producer, waiting) = state.withLock { state in
            state.isAbandoned = true
            state.transfer = nil
            state.blocks = []
            return (state.producer, state.waiting.take())
        }
        producer?.cancel()
        waiting?.resume(throwing: CancellationError())
    }

    // MARK: The producer's side

    /// Appends a block, and returns when there is room for another one.
    ///
    /// - Throws: `CancellationError` when the transfer is over, or the body was rewound; `requestBody` above the announced
    ///   length.
    private func put(_ block: CurlBytes, _ round: Int) async throws {
        guard !block.isEmpty else { return }
        try await withCheckedThrowingContinuation { continuation in
            var sleeper: Transfer?
            let outcome = state.withLock { state -> Result<Void, any Error>? in
                if state.isAbandoned || state.round != round { return .failure(CancellationError()) }
                if let remaining = state.remaining {
                    guard block.count <= remaining else { return .failure(Self.differs("longer")) }
                    state.remaining = remaining - block.count
                }
                state.blocks.append(block)
                state.queued += block.count
                sleeper = state.takeSleeper()
                if state.queued < Self.limit || state.remaining == 0 { return .success(()) }
                state.waiting = continuation
                return nil
            }
            if let sleeper { mailbox.post(.resume(sleeper)) }
            if let outcome { continuation.resume(with: outcome) }
        }
    }

    private func finish(_ error: (any Error)?, _ round: Int) {
        let sleeper = state.withLock { state -> Transfer? in
            guard state.round == round else { return nil }
            if let error {
                state.end = .failure(error)
            } else if let remaining = state.remaining, remaining > 0 {
                state.end = .failure(Self.differs("shorter"))
            } else {
                state.end = .success(())
            }
            return state.takeSleeper()
        }
        if let sleeper { mailbox.post(.resume(sleeper)) }
    }

    private static func differs(_ how: String) -> CurlError {
        CurlError(.requestBody, "the request's body is \(how) than announced", wasSent: true)
    }
}
#endif
