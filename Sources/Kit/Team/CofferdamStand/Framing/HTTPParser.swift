/// Reads one HTTP/1.1 message, together with the interim replies before it.
struct HTTPParser: FrameParser {
    enum Kind {
        case request, reply
        /// The reply to `HEAD`, which has no body whatever its head says.
        case replyToHead
    }

    private enum State {
        case startLine, field
        case body(left: Int)
        case chunkSize
        /// The bytes of a chunk, including the line end after it.
        case chunk(left: Int)
        case trailer
        /// The body lasts until the connection ends.
        case untilEnd
        case ended
    }

    static let longestHead = 65_536
    private static let longestChunkSize = 256

    private let kind: Kind
    private let keepsBody: Bool
    private var state = State.startLine
    private var line: [UInt8] = []
    private var headCount = 0
    private var count = 0
    private var status: Int?
    private var lengths: Set<Int> = []
    private var isChunked = false
    private(set) var headLength: Int?
    /// The body with its chunks joined; empty unless it is kept.
    private(set) var body: [UInt8] = []

    init(_ kind: Kind, keepsBody: Bool = false) {
        self.kind = kind
        self.keepsBody = keepsBody
    }

    mutating func parse(_ bytes: ArraySlice<UInt8>) throws -> Int? {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let taken = try take(bytes[index...])
            index += taken
            count += taken
            if case .ended = state { return index - bytes.startIndex }
        }
        return nil
    }

    /// Takes at least one byte.
    private mutating func take(_ bytes: ArraySlice<UInt8>) throws -> Int {
        switch state {
        case .body(let left):
            let piece = bytes.prefix(left)
            if keepsBody { body += piece }
            state = piece.count == left ? .ended : .body(left: left - piece.count)
            return piece.count
        case .chunk(let left):
            let piece = bytes.prefix(left)
            if keepsBody { body += piece.prefix(max(0, left - 2)) }
            if piece.count == left, piece.last != .lineFeed { throw MalformedFrame("a chunk is longer than it says") }
            state = piece.count == left ? .chunkSize : .chunk(left: left - piece.count)
            return piece.count
        case .untilEnd:
            if keepsBody { body += bytes }
            return bytes.count
        case .startLine, .field, .chunkSize, .trailer, .ended:
            let end = bytes.firstIndex(of: .lineFeed)
            line += bytes[..<(end ?? bytes.endIndex)]
            let taken = (end.map { $0 + 1 } ?? bytes.endIndex) - bytes.startIndex
            try checkLine(taken)
            if end != nil {
                if line.last == .carriageReturn { line.removeLast() }
                let text = String(decoding: line, as: UTF8.self)
                line = []
                try read(text, end: count + taken)
            }
            return taken
        }
    }

    private mutating func checkLine(_ taken: Int) throws {
        if case .chunkSize = state {
            if line.count > Self.longestChunkSize { throw MalformedFrame("a chunk's size is too long") }
            return
        }
        headCount += taken
        if headCount > Self.longestHead { throw MalformedFrame("a head of more than \(Self.longestHead) bytes") }
    }

    private mutating func read(_ text: String, end: Int) throws {
        switch state {
        case .startLine: try readStart(text)
        case .field:
            if text.isEmpty { try headEnded(end) } else { try readField(text) }
        case .chunkSize:
            let digits = text.prefix { $0 != ";" && $0 != " " }
            guard !digits.isEmpty, digits.count <= 12, digits.allSatisfy(\.isHexDigit),
                let size = Int(digits, radix: 16)
            else { throw MalformedFrame("a chunk's size is not a number") }
            state = size == 0 ? .trailer : .chunk(left: size + 2)
        case .trailer: if text.isEmpty { state = .ended }
        case .body, .chunk, .untilEnd, .ended: break
        }
    }

    private mutating func readStart(_ text: String) throws {
        let words = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        if kind == .request {
            guard words.count == 3, !words[0].isEmpty, !words[1].isEmpty, words[2].hasPrefix("HTTP/1.") else {
                throw MalformedFrame("a malformed request line")
            }
        } else {
            guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3,
                let status = decimal(words[1].utf8)
            else { throw MalformedFrame("a malformed status line") }
            self.status = status
        }
        state = .field
    }

    private mutating func readField(_ text: String) throws {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
            throw MalformedFrame("a header field without a name")
        }
        let value = text[text.index(after: colon)...].split(whereSeparator: \.isWhitespace).joined(separator: " ")
        switch text[..<colon].lowercased() {
        case "content-length":
            guard let length = decimal(value.utf8) else { throw MalformedFrame("a length that is not a number") }
            lengths.insert(length)
        case "transfer-encoding":
            guard value.lowercased() == "chunked" else {
                throw MalformedFrame("a transfer encoding other than chunked")
            }
            isChunked = true
        default: break
        }
    }

    private mutating func headEnded(_ end: Int) throws {
        guard lengths.count < 2, !(isChunked && !lengths.isEmpty) else { throw MalformedFrame("two lengths") }
        // An interim reply, which the final one follows; 101 is the last reply of its connection.
        if let status, status / 100 == 1, status != 101 {
            (state, lengths, isChunked, headCount) = (.startLine, [], false, 0)
            return
        }
        headLength = end
        if kind == .replyToHead || status == 204 || status == 304 {
            state = .ended
        } else if isChunked {
            state = .chunkSize
        } else if let length = lengths.first {
            state = length == 0 ? .ended : .body(left: length)
        } else {
            state = kind == .request ? .ended : .untilEnd
        }
    }
}
