extension CurlBody {
    /// The body's lines, without their ends and without the empty ones. For one consumer.
    ///
    /// - Parameter maximumSize: of a line, in bytes; a longer one ends the transfer with `tooLarge`.
    public func lines(maximumSize: Int = 1 << 20) -> BodyLines {
        BodyLines(body: self, maximumSize: maximumSize)
    }

    /// The body read as newline-delimited JSON: one value a line. For one consumer.
    ///
    /// A line that `decode` throws on ends the transfer with `protocol`; the error has the line's number, and neither its
    /// content nor what `decode` said of it.
    ///
    /// - Parameters:
    ///   - maximumSize: of a line, in bytes; a longer one ends the transfer with `tooLarge`.
    ///   - decode: called with each line that is not empty, when it is pulled.
    public func newlineDelimitedJSON<Value>(
        maximumSize: Int = 1 << 20,
        decode: @escaping @Sendable ([UInt8]) throws -> Value
    ) -> NewlineDelimitedJSON<Value> {
        NewlineDelimitedJSON(body: self, maximumSize: maximumSize, decode: decode)
    }
}

/// The lines of a body while they arrive. A line that the transfer's failure cuts off is none: the failure is thrown.
///
/// Throws ``CurlError``, or `CancellationError`.
public struct BodyLines: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = any Error

    fileprivate let body: CurlBody
    fileprivate let maximumSize: Int

    public func makeAsyncIterator() -> Iterator {
        Iterator(lines: ParsedBlocks(body, parser: .init(maximumLineSize: maximumSize)))
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var lines: ParsedBlocks<NewlineDelimitedParser>

        public mutating func next() async throws -> [UInt8]? { try await next(isolation: #isolation) }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> [UInt8]? {
            try await lines.next(isolation: actor)?.bytes
        }
    }
}

/// The values of a body of newline-delimited JSON while they arrive.
///
/// Throws ``CurlError``, or `CancellationError`.
public struct NewlineDelimitedJSON<Value>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = any Error

    fileprivate let body: CurlBody
    fileprivate let maximumSize: Int
    fileprivate let decode: @Sendable ([UInt8]) throws -> Value

    public func makeAsyncIterator() -> Iterator {
        Iterator(lines: ParsedBlocks(body, parser: .init(maximumLineSize: maximumSize)), decode: decode)
    }

    public struct Iterator: AsyncIteratorProtocol {
        /// `nil` after a line that is none.
        fileprivate var lines: ParsedBlocks<NewlineDelimitedParser>?
        fileprivate let decode: @Sendable ([UInt8]) throws -> Value

        public mutating func next() async throws -> Value? { try await next(isolation: #isolation) }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Value? {
            guard let line = try await lines?.next(isolation: actor) else { return nil }
            do {
                return try decode(line.bytes)
            } catch {
                lines = nil
                throw CurlError(.protocol, "line \(line.number) of the body could not be decoded", wasSent: true)
            }
        }
    }
}
