#if Curl
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Splits a stream of bytes into lines, independent of block boundaries.
///
/// A line within one block is not copied.
struct LineCutter: Sendable {
    /// The characters that end a line.
    enum Ending: Sendable {
        /// LF or CRLF. Any other CR belongs to the line.
        case lineFeed
        /// LF, CR or CRLF.
        case any
    }

    private let ending: Ending
    private let maximumSize: Int
    /// The name of an overlong line in the error.
    private let subject: String
    /// The start of a line that has not ended yet.
    private var unfinished: [UInt8] = []
    /// Whether a following line feed belongs to the line end already seen.
    private var isAfterCarriageReturn = false

    /// - Parameter maximumSize: the maximum size of a line without its end, in bytes.
    init(ending: Ending, maximumSize: Int, subject: String) {
        self.ending = ending
        self.maximumSize = maximumSize
        self.subject = subject
    }

    /// Calls `take` with each line that the block completes, without its end; the pointer is valid only during the
    /// call.
    ///
    /// - Throws: `tooLarge`, after the preceding lines; the cutter must not be used afterwards.
    mutating func cut(
        _ block: UnsafeBufferPointer<UInt8>,
        _ take: (UnsafeBufferPointer<UInt8>) throws(CurlError) -> Void
    ) throws(CurlError) {
        var start = block.startIndex
        if isAfterCarriageReturn, !block.isEmpty {
            isAfterCarriageReturn = false
            if block[0] == .lineFeed { start = 1 }
        }
        // Kept while lines end with CR, so that each byte is searched at most once for LF and once for CR.
        var lineFeed = block.position(of: .lineFeed, from: start)
        while let (end, next) = lineEnd(in: block, from: start, lineFeed: lineFeed) {
            try finishLine(with: UnsafeBufferPointer(rebasing: block[start..<end]), take)
            start = next
            if let found = lineFeed, found < start { lineFeed = block.position(of: .lineFeed, from: start) }
        }
        let rest = UnsafeBufferPointer(rebasing: block[start...])
        try check(adding: rest)
        unfinished.append(contentsOf: rest)
    }

    /// Calls `take` with the last line if the stream ends without a line end and the line is not empty.
    mutating func finish(_ take: (UnsafeBufferPointer<UInt8>) throws(CurlError) -> Void) throws(CurlError) {
        guard !unfinished.isEmpty else { return }
        try finishLine(with: UnsafeBufferPointer(start: nil, count: 0), take)
    }

    private mutating func lineEnd(
        in block: UnsafeBufferPointer<UInt8>,
        from start: Int,
        lineFeed: Int?
    ) -> (end: Int, next: Int)? {
        if ending == .any, let end = block.position(of: .carriageReturn, from: start, to: lineFeed) {
            isAfterCarriageReturn = end + 1 == block.count
            return (end, lineFeed == end + 1 ? end + 2 : end + 1)
        }
        return lineFeed.map { ($0, $0 + 1) }
    }

    private mutating func finishLine(
        with part: UnsafeBufferPointer<UInt8>,
        _ take: (UnsafeBufferPointer<UInt8>) throws(CurlError) -> Void
    ) throws(CurlError) {
        try check(adding: part)
        guard !unfinished.isEmpty else { return try take(content(part)) }
        unfinished.append(contentsOf: part)
        try unfinished.withUnsafeBufferPointer { line throws(CurlError) in try take(content(line)) }
        unfinished.removeAll(keepingCapacity: true)
    }

    private func content(_ line: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        guard ending == .lineFeed, line.last == .carriageReturn else { return line }
        return UnsafeBufferPointer(rebasing: line.dropLast())
    }

    private func check(adding part: UnsafeBufferPointer<UInt8>) throws(CurlError) {
        // A trailing CR may belong to the line end.
        let last = part.last ?? unfinished.last
        let spare = ending == .lineFeed && last == .carriageReturn ? 1 : 0
        guard unfinished.count + part.count - spare <= maximumSize else {
            throw CurlError(.tooLarge, "\(subject) is over \(maximumSize) bytes", wasSent: true)
        }
    }
}

extension UInt8 {
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the first position of the byte, using the C library's vectorised search.
    func position(of byte: UInt8, from start: Int = 0, to end: Int? = nil) -> Int? {
        let length = (end ?? count) - start
        guard length > 0, let base = baseAddress, let found = memchr(base + start, Int32(byte), length) else {
            return nil
        }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        guard let base = baseAddress else { return true }
        return memcmp(base, text.utf8Start, count) == 0
    }
}

extension Sequence<UInt8> {
    /// Calls `body` with the bytes in contiguous memory, copied only if necessary.
    func withContiguousBytes(_ body: (UnsafeBufferPointer<UInt8>) throws(CurlError) -> Void) throws(CurlError) {
        func outcome(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<Void, CurlError> {
            Result { () throws(CurlError) in try body(bytes) }
        }
        try (withContiguousStorageIfAvailable(outcome) ?? Array(self).withUnsafeBufferPointer(outcome)).get()
    }
}
#endif
