#if Curl
import Cofferdam

/// Decodes a body while its consumer pulls it, on the consumer's side.
///
/// A small part of each block is decoded where the consumer runs. Blocks that expand beyond that are decoded on the
/// global executor, with a yield before each step: a large body blocks neither the loop nor an actor nor other tasks.
// The decoders, which own C memory, live in the state and never leave it: the lock gives one thread at a time access to
// them.
final class DecodedBody: Sendable {
    private struct State {
        var decoding: BodyDecoding
        var isPulled = false
        var end: Result<Void, any Error>?
        /// The number of bytes decoded so far.
        var size = 0
        /// Records the body's end.
        var observation: RequestObservation?
    }

    /// The largest step decoded where the consumer runs, in bytes.
    private static let smallStep = BlockPool.smallestBlock
    private static let largeStep = 128 << 10

    private let coded: StreamBuffer
    private let state: Mutex<State>

    init(_ coded: StreamBuffer, codings: ContentCodings) {
        self.coded = coded
        state = Mutex(State(decoding: BodyDecoding(codings, pool: coded.pool)))
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

    /// - Parameter check: called before each step; an error it throws ends the transfer.
    /// - Throws: the same errors as ``StreamBuffer/next()``; `protocol` if the body is not valid for its codings.
    func next(check: () throws(CurlError) -> Void) async throws -> CurlBytes? {
        let isFirst = state.withLock { state in
            defer { state.isPulled = true }
            return !state.isPulled
        }
        guard isFirst else { throw StreamBuffer.isReadTwice }
        defer { state.withLock { $0.isPulled = false } }
        var isLarge = state.withLock { $0.decoding.hasWork }
        do {
            while true {
                if Task.isCancelled { throw CancellationError() }
                try check()
                switch try await isLarge ? stepElsewhere() : step(upTo: Self.smallStep) {
                case .bytes(let bytes): return bytes
                case .progress: isLarge = true
                case .needsInput:
                    let block = try await coded.next()
                    try state.withLock { state throws(CurlError) in try state.decoding.feed(block) }
                    isLarge = false
                case .end:
                    end(.success(()))
                    return nil
                }
            }
        } catch is CancellationError {
            abandon()
            throw CancellationError()
        } catch {
            end(.failure(error))
            coded.abandon()
            throw error
        }
    }

    /// Ends the transfer when the consumer stops reading.
    func abandon() {
        let observation = state.withLock { state in
            if state.end == nil { state.end = .failure(CancellationError()) }
            return state.observation.take()
        }
        observation?.abandon()
        coded.abandon()
    }

    private func end(_ end: Result<Void, any Error>) {
        let (observation, size) = state.withLock { state in
            if state.end == nil { state.end = end }
            state.decoding.close()
            return (state.observation.take(), state.size)
        }
        observation?.end(with: end, bodySize: size)
    }

    private func stepElsewhere() async throws -> BodyDecoding.Step {
        try await withTaskExecutorPreference(globalConcurrentExecutor) { try await self.largeStep() }
    }

    @concurrent private func largeStep() async throws -> BodyDecoding.Step {
        await Task.yield()
        return try step(upTo: Self.largeStep)
    }

    private func step(upTo count: Int) throws -> BodyDecoding.Step {
        try state.withLock { state in
            if let end = state.end {
                try end.get()
                return .end
            }
            let step = try state.decoding.step(upTo: count)
            if case .bytes(let bytes) = step { state.size += bytes.count }
            return step
        }
    }
}
#endif
