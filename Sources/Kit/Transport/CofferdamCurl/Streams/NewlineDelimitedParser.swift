#if Curl
/// Parses lines block by block, independent of block boundaries.
///
/// Lines end with LF or CRLF. Empty lines are skipped, as readers of newline-delimited JSON (and JSON Lines) do; a last
/// line without an end counts.
package struct NewlineDelimitedParser: Sendable {
    /// A line with its number in the stream.
    struct Line: Sendable {
        /// The line number, from 1; empty lines count.
        let number: Int
        let bytes: [UInt8]
    }

    private var lines: LineCutter
    private var count = 0

    /// - Parameter maximumLineSize: the maximum size of a line without its end, in bytes.
    package init(maximumLineSize: Int = 1 << 20) {
        lines = LineCutter(ending: .lineFeed, maximumSize: maximumLineSize, subject: "a line")
    }

    /// Returns the lines that the block completes, without their ends.
    ///
    /// - Throws: ``CurlError`` with `tooLarge`; the parser must not be used afterwards.
    package mutating func feed(_ block: some Sequence<UInt8>) throws(CurlError) -> [[UInt8]] {
        var found: [Line] = []
        try feed(block, into: &found)
        return found.map(\.bytes)
    }

    /// Returns the last line, if the stream ended without a line end.
    package mutating func finish() throws(CurlError) -> [UInt8]? {
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
#endif
