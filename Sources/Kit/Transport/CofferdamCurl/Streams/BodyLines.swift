#if Curl
extension CurlBody {
    /// The body's lines, without line ends; empty lines are skipped. For a single consumer.
    ///
    /// - Parameter maximumSize: the maximum size of a line, in bytes; a longer one ends the transfer with `tooLarge`.
    public func lines(maximumSize: Int = 1 << 20) -> BodyLines {
        BodyLines(body: self, maximumSize: maximumSize)
    }

    /// The body as newline-delimited JSON: one value per line. For a single consumer.
    ///
    /// A line for which `decode` throws ends the transfer with `protocol`; the error names the line's number, but
    /// neither its content nor the decoding error.
    ///
    /// - Parameters:
    ///   - maximumSize: the maximum size of a line, in bytes; a longer one ends the transfer with `tooLarge`.
    ///   - decode: called with each non-empty line when it is pulled.
    public func newlineDelimitedJSON<Value>(
        maximumSize: Int = 1 << 20,
        decode: @escaping @Sendable ([UInt8]) throws -> Value
    ) -> NewlineDelimitedJSON<Value> {
        NewlineDelimitedJSON(body: self, maximumSize: maximumSize, decode: decode)
    }
}

/// The lines of a body, as they arrive. A line cut off by a failed transfer is dropped, and the failure is thrown.
///
/// Throws ``CurlError``, or `CancellationError`.
public struct BodyLines: AsyncSequence, Sendable {
    /// A line, without its end.
    public typealias Element = [UInt8]
    /// Failures are ``CurlError`` or `CancellationError`.
    public typealias Failure = any Error

    fileprivate let body: CurlBody
    fileprivate let maximumSize: Int

    /// Starts an iteration; a body has a single consumer.
    public func makeAsyncIterator() -> Iterator {
        Iterator(lines: ParsedBlocks(body, parser: .init(maximumLineSize: maximumSize)))
    }

    /// The iteration of the body's single consumer.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var lines: ParsedBlocks<NewlineDelimitedParser>

        /// Waits for the next line; nil at the end.
        public mutating func next() async throws -> [UInt8]? { try await next(isolation: #isolation) }

        /// Like ``next()``, for callers on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> [UInt8]? {
            try await lines.next(isolation: actor)?.bytes
        }
    }
}

/// The values of a newline-delimited JSON body, as they arrive.
///
/// Throws ``CurlError``, or `CancellationError`.
public struct NewlineDelimitedJSON<Value>: AsyncSequence, Sendable {
    /// A decoded value.
    public typealias Element = Value
    /// Failures are ``CurlError`` or `CancellationError`.
    public typealias Failure = any Error

    fileprivate let body: CurlBody
    fileprivate let maximumSize: Int
    fileprivate let decode: @Sendable ([UInt8]) throws -> Value

    /// Starts an iteration; a body has a single consumer.
    public func makeAsyncIterator() -> Iterator {
        Iterator(lines: ParsedBlocks(body, parser: .init(maximumLineSize: maximumSize)), decode: decode)
    }

    /// The iteration of the body's single consumer.
    public struct Iterator: AsyncIteratorProtocol {
        /// The lines; `nil` after an invalid line.
        fileprivate var lines: ParsedBlocks<NewlineDelimitedParser>?
        fileprivate let decode: @Sendable ([UInt8]) throws -> Value

        /// Waits for the next value; nil at the end.
        public mutating func next() async throws -> Value? { try await next(isolation: #isolation) }

        /// Like ``next()``, for callers on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Value? {
            guard let line = try await lines?.next(isolation: actor) else { return nil }
            do {
                return try decode(line.bytes)
            } catch {
                lines?.discard()
                lines = nil
                throw CurlError(.protocol, "line \(line.number) of the body could not be decoded", wasSent: true)
            }
        }
    }
}
#endif
