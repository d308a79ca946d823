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

/// The values of a newline-delimited JSON body, as they arrive.
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
        /// The lines; `nil` after an invalid line.
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
