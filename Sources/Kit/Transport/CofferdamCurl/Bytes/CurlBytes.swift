#if Curl
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The bytes of a body: a collection over one block of memory, which returns to its client's pool when the last copy is
/// released.
///
/// Copies share the block. `Array(bytes)`, `Data(bytes)` and `String(decoding: bytes, as: UTF8.self)` copy it once;
/// ``withUnsafeBytes(_:)`` reads it in place.
public struct CurlBytes: Sendable {
    private enum Storage: Sendable {
        case array([UInt8])
        case block(ByteBlock)
    }

    private let storage: Storage
    /// The number of bytes.
    public let count: Int

    /// Creates an empty sequence of bytes.
    init() { self.init([]) }

    /// Wraps an array without copying it.
    package init(_ bytes: [UInt8]) {
        storage = .array(bytes)
        count = bytes.count
    }

    /// Copies the bytes; a large copy has a stable address.
    init(copying bytes: some Collection<UInt8>) {
        guard bytes.count >= BlockPool.smallestBlock else {
            self.init(Array(bytes))
            return
        }
        let block = ByteBlock(capacity: bytes.count)
        UnsafeMutableRawBufferPointer(start: block.start, count: bytes.count).copyBytes(from: bytes)
        self.init(block, count: bytes.count)
    }

    /// The first `count` bytes of a block that is no longer written to.
    init(_ block: ByteBlock, count: Int) {
        storage = .block(block)
        self.count = count
    }

    /// The bytes' address, valid as long as this value or a copy of it lives; `nil` when they may move.
    var fixedStart: UnsafeMutableRawPointer? {
        if case .block(let block) = storage { block.start } else { nil }
    }

    /// Calls `body` with the bytes in place; the pointer is valid only during the call.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        switch storage {
        case .array(let array): return try array.withUnsafeBytes(body)
        case .block(let block):
            defer { withExtendedLifetime(block) {} }
            return try body(UnsafeRawBufferPointer(start: block.start, count: count))
        }
    }
}

extension CurlBytes: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of bytes.
    public var endIndex: Int { count }

    /// The byte at that position.
    public subscript(position: Int) -> UInt8 {
        switch storage {
        case .array(let array): return array[position]
        case .block(let block):
            precondition(position >= 0 && position < count, "the index is out of bounds")
            return block.start.load(fromByteOffset: position, as: UInt8.self)
        }
    }

    /// Calls `body` with the bytes in place; they are always contiguous.
    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        switch storage {
        case .array(let array): try array.withUnsafeBufferPointer(body)
        case .block(let block):
            try withExtendedLifetime(block) {
                let start = block.start.assumingMemoryBound(to: UInt8.self)
                return try body(UnsafeBufferPointer(start: start, count: count))
            }
        }
    }

    /// Walks the bytes in order.
    public struct Iterator: IteratorProtocol, Sendable {
        fileprivate let bytes: CurlBytes
        fileprivate var position = 0

        /// The next byte; nil at the end.
        public mutating func next() -> UInt8? {
            guard position < bytes.count else { return nil }
            defer { position += 1 }
            return bytes[position]
        }
    }

    /// Starts an iteration at the first byte.
    public func makeIterator() -> Iterator { Iterator(bytes: self) }

    /// Called by `Array(bytes)` and `array += bytes`, which would otherwise copy byte by byte.
    public func _copyContents(
        initializing target: UnsafeMutableBufferPointer<UInt8>
    ) -> (Iterator, UnsafeMutableBufferPointer<UInt8>.Index) {
        let copied = Swift.min(target.count, count)
        withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(target).copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<copied]))
        }
        return (Iterator(bytes: self, position: copied), copied)
    }
}

extension CurlBytes: ExpressibleByArrayLiteral, Hashable, CustomStringConvertible {
    /// The bytes of a literal.
    public init(arrayLiteral elements: UInt8...) { self.init(elements) }

    /// Compares the bytes, wherever they are stored.
    public static func == (left: CurlBytes, right: CurlBytes) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { left.hasSameBytes(as: $0) } }
    }

    /// Compares the bytes with an array's.
    package static func == (left: CurlBytes, right: [UInt8]) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { left.hasSameBytes(as: $0) } }
    }

    /// Hashes the bytes, wherever they are stored.
    public func hash(into hasher: inout Hasher) { withUnsafeBytes { hasher.combine(bytes: $0) } }

    /// The size only: bodies do not belong in logs.
    public var description: String { "\(count) bytes" }
}

extension UnsafeRawBufferPointer {
    fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        // Without an address there are no bytes.
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }
}
#endif
