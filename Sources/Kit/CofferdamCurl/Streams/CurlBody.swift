/// The body of a reply while it arrives, in blocks as they come. For one consumer.
///
/// libcurl waits when the consumer is behind. Cancelling the consuming task, and dropping the body and its iterator,
/// end the transfer. Throws ``CurlError``, or `CancellationError`.
public struct CurlBody: AsyncSequence, Sendable {
    public typealias Element = CurlBytes
    public typealias Failure = any Error

    private let lease: Lease

    init(_ buffer: StreamBuffer) { lease = Lease(buffer) }

    public func makeAsyncIterator() -> Iterator { Iterator(lease: lease) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let lease: Lease

        /// Ends the transfer, whoever holds the body.
        func discard() { lease.buffer.abandon() }

        public mutating func next() async throws -> CurlBytes? { try await lease.buffer.next() }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> CurlBytes? {
            try await lease.buffer.next()
        }
    }

    /// The rest of the body in one piece.
    ///
    /// - Throws: `tooLarge` above `limit` bytes, which ends the transfer.
    public func collect(upTo limit: Int) async throws -> CurlBytes {
        var whole = BodyCollector(pool: lease.buffer.pool)
        for try await block in self {
            guard whole.count + block.count <= limit else {
                lease.buffer.abandon()
                throw CurlError(.tooLarge, "the reply's body is over \(limit) bytes", wasSent: true)
            }
            block.withUnsafeBytes { whole.append($0) }
        }
        return whole.take()
    }

    /// Ends the transfer, whoever holds the body.
    func discard() { lease.buffer.abandon() }

    func observe(_ observation: RequestObservation) { lease.buffer.observe(observation) }

    fileprivate final class Lease: Sendable {
        let buffer: StreamBuffer
        init(_ buffer: StreamBuffer) { self.buffer = buffer }
        deinit { buffer.abandon() }
    }
}
