#if Curl
import HTTPTypes

/// One parsed line of a head.
struct HeadLine {
    enum Content {
        case status(HTTPResponse.Status, version: String)
        case field(HTTPField)
        /// More of the field before it, without the blanks around it (RFC 9112, section 5.2).
        case continuation([UInt8])
        /// A field whose name is no token, as some proxies add. It is left out.
        case odd
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
        if let first = text.first, Self.isBlank(first) {
            content = .continuation(Array(Self.withoutBlanks(text)))
        } else {
            content = try HeadParser.isStatusLine(text) ? Self.status(text) : Self.field(text)
        }
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

    static let invalidField = CurlError(.protocol, "the reply has an invalid header")

    /// Blanks before the colon are left out, as RFC 9112, section 5.1, asks of proxies.
    private static func field(_ line: ArraySlice<UInt8>) throws(CurlError) -> Content {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw invalidField }
        let written = line[..<colon]
        // libcurl reads no framing from a name with anything in it; others on the way may.
        guard !written.isEmpty, !written.contains(where: { $0 < 0x20 && !isBlank($0) || $0 == 0x7F }),
            Framing.isField(written) || !Framing.resembles(written)
        else { throw invalidField }
        guard let name = HTTPField.Name(String(decoding: withoutBlanks(written), as: UTF8.self)) else { return .odd }
        let value = withoutBlanks(line[line.index(after: colon)...])
        // `HTTPField` treats some control characters as whitespace, and libcurl does not.
        if name == .transferEncoding || name == .contentLength, value.contains(where: { $0 < 0x20 && !isBlank($0) }) {
            throw controlCharacter
        }
        return .field(HTTPField(name: name, value: value))
    }

    private static func withoutBlanks(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text
        while let first = text.first, isBlank(first) { text.removeFirst() }
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
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
#endif
