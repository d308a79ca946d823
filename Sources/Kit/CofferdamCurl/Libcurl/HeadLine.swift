import HTTPTypes

/// One parsed line of a head.
struct HeadLine {
    enum Content {
        case status(HTTPResponse.Status, version: String)
        case field(HTTPField)
    }

    private let bytes: [UInt8]
    let content: Content

    /// - Parameter known: the line at the same position in the previous head; an identical line is not parsed again.
    init(_ line: ArraySlice<UInt8>, knownAs known: HeadLine?) throws(CurlError) {
        if let known, known.bytes.elementsEqual(line) {
            self = known
            return
        }
        bytes = Array(line)
        let text = Self.withoutEnd(line)
        guard !text.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\r") }) else {
            throw Self.controlCharacter
        }
        content = try HeadParser.isStatusLine(text) ? Self.status(text) : .field(Self.field(text))
    }

    static let controlCharacter = CurlError(.protocol, "the reply's head has a control character")

    /// Returns a line without its CRLF, or its LF alone (RFC 9112, section 2.2).
    static func withoutEnd<Line: BidirectionalCollection<UInt8>>(_ line: Line) -> Line.SubSequence {
        var text = line[...]
        guard text.last == UInt8(ascii: "\n") else { return text }
        text.removeLast()
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        return text
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(CurlError) -> HTTPField {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { throw CurlError(.protocol, "the reply has an invalid header") }
        var value = line[line.index(after: colon)...]
        while let first = value.first, isBlank(first) { value.removeFirst() }
        while let last = value.last, isBlank(last) { value.removeLast() }
        // `HTTPField` treats some control characters as whitespace, and libcurl does not.
        if name == .transferEncoding || name == .contentLength, value.contains(where: { $0 < 0x20 && !isBlank($0) }) {
            throw controlCharacter
        }
        return HTTPField(name: name, value: value)
    }

    /// Parses a status line: `HTTP/1.1 200 OK`, `HTTP/2 200`.
    private static func status(_ line: ArraySlice<UInt8>) throws(CurlError) -> Content {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 1, parts[1].count == 3, let code = Int(String(decoding: parts[1], as: UTF8.self)),
            (100...999).contains(code)
        else { throw CurlError(.protocol, "the reply's status is invalid") }
        let reason = parts.count > 2 ? String(decoding: parts[2], as: UTF8.self) : ""
        let version = String(decoding: parts[0].dropFirst("HTTP/".utf8.count), as: UTF8.self)
        guard ["1.1", "1.0", "2", "3"].contains(version) else {
            throw CurlError(.protocol, "the reply's HTTP version is invalid")
        }
        return .status(HTTPResponse.Status(code: code, reasonPhrase: reason), version: version)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
