#if Curl
/// The body of a reply, as it arrives, in blocks. For a single consumer.
///
/// A compressed body is decompressed as it is pulled, a block at a time, unless the options disable that. libcurl
/// pauses when the consumer falls behind. Cancelling the consuming task, or releasing the body and its iterator, ends
/// the transfer. Iterating throws ``CurlError`` or `CancellationError`. A trailer section after the body (RFC 9112,
/// section 7.1.2) is read and dropped: do not use the client for a server that puts a checksum or a status there.
public struct CurlBody: AsyncSequence, Sendable {
    /// A block of the body, as it arrived.
    public typealias Element = CurlBytes
    /// Failures are ``CurlError`` or `CancellationError`.
    public typealias Failure = any Error

    private let lease: Lease

    /// - Parameter codings: the content codings to decode.
    init(_ buffer: StreamBuffer, codings: ContentCodings) { lease = Lease(buffer, codings) }

    /// Starts an iteration; a body has a single consumer.
    public func makeAsyncIterator() -> Iterator { Iterator(lease: lease) }

    /// The iteration of the body's single consumer.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let lease: Lease

        /// Ends the transfer, even if the body is still referenced.
        func discard() { lease.abandon() }

        /// Waits for the next block; nil at the end of the body.
        public mutating func next() async throws -> CurlBytes? { try await lease.next() }

        /// Like ``next()``, for callers on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> CurlBytes? {
            try await lease.next()
        }
    }

    /// Collects the rest of the body.
    ///
    /// - Throws: `tooLarge` above `limit` bytes, which ends the transfer.
    public func collect(upTo limit: Int) async throws -> CurlBytes {
        try await collect(upTo: limit) {}
    }

    /// - Parameter check: called before each decoding step; an error it throws ends the transfer.
    func collect(upTo limit: Int, check: () throws(CurlError) -> Void) async throws -> CurlBytes {
        var whole = BodyCollector(pool: lease.buffer.pool)
        do {
            while let block = try await lease.next(check: check) {
                guard block.count <= limit - whole.count else {
                    throw CurlError(.tooLarge, "the reply's body is over \(limit) bytes", wasSent: true)
                }
                block.withUnsafeBytes { whole.append($0) }
            }
        } catch {
            discard()
            throw error
        }
        return whole.take()
    }

    /// Ends the transfer, even if the body is still referenced.
    func discard() { lease.abandon() }

    func observe(_ observation: RequestObservation) {
        if let decoded = lease.decoded { decoded.observe(observation) } else { lease.buffer.observe(observation) }
    }

    fileprivate final class Lease: Sendable {
        let buffer: StreamBuffer
        /// The decoder; `nil` when the body is not coded.
        let decoded: DecodedBody?

        init(_ buffer: StreamBuffer, _ codings: ContentCodings) {
            self.buffer = buffer
            decoded = codings.isIdentity ? nil : DecodedBody(buffer, codings: codings)
        }

        deinit { abandon() }

        func next(check: () throws(CurlError) -> Void = {}) async throws -> CurlBytes? {
            if let decoded { try await decoded.next(check: check) } else { try await buffer.next() }
        }

        func abandon() { if let decoded { decoded.abandon() } else { buffer.abandon() } }
    }
}
#endif
