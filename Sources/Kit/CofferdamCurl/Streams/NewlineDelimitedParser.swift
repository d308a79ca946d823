/// Reads lines block by block; where the blocks are cut makes no difference.
///
/// Lines end by LF or CRLF. Empty ones are left out, as newline-delimited JSON (and JSON Lines) readers do; a last line
/// without an end counts.
public struct NewlineDelimitedParser: Sendable {
    /// A line with its place in the stream.
    struct Line: Sendable {
        /// From 1; the empty lines count.
        let number: Int
        let bytes: [UInt8]
    }

    private var lines: LineCutter
    private var count = 0

    /// - Parameter maximumLineSize: of a line without its end, in bytes.
    public init(maximumLineSize: Int = 1 << 20) {
        lines = LineCutter(ending: .lineFeed, maximumSize: maximumLineSize, subject: "a line")
    }

    /// The lines that the block completes, without their ends.
    ///
    /// - Throws: ``CurlError`` with `tooLarge`; then the parser is not to be used again.
    public mutating func feed(_ block: some Sequence<UInt8>) throws(CurlError) -> [[UInt8]] {
        var found: [Line] = []
        try feed(block, into: &found)
        return found.map(\.bytes)
    }

    /// The last line, when the stream ended without a line end.
    public mutating func finish() throws(CurlError) -> [UInt8]? {
        var found: [Line] = []
        try finish(into: &found)
        return found.first?.bytes
    }
}

extension NewlineDelimitedParser: BlockParser {
    mutating func feed(_ block: some Sequence<UInt8>, into found: inout [Line]) throws(CurlError) {
        try block.withContiguousBytes { bytes throws(CurlError) in
            try lines.cut(bytes) { line throws(CurlError) in Self.take(line, &count, &found) }
        }
    }

    mutating func finish(into found: inout [Line]) throws(CurlError) {
        try lines.finish { line throws(CurlError) in Self.take(line, &count, &found) }
    }

    private static func take(_ line: UnsafeBufferPointer<UInt8>, _ count: inout Int, _ found: inout [Line]) {
        count += 1
        if !line.isEmpty { found.append(Line(number: count, bytes: Array(line))) }
    }
}
