import CLibcurl
package import HTTPTypes  // HTTPResponse

/// Puts a reply's head together from libcurl's header lines; interim heads and trailers are left out.
///
/// Used for one reply after another, and remembers the lines of the last: a server repeats most of them.
package struct HeadParser {
    /// The final head, once it is complete.
    package private(set) var head: HTTPResponse?
    /// The announced length of the body.
    package private(set) var contentLength: Int?
    private var status: HTTPResponse.Status?
    private var fields: [HTTPField] = []
    private var size = 0
    private var maximumSize: Int
    /// The lines of the reply before, by position.
    private var known: [(line: [UInt8], field: HTTPField)] = []

    /// HTTPFields holds no more than 65,534.
    private static let maximumFields = 10_000
    private static let maximumKnown = 32

    package init(maximumSize: Int) { self.maximumSize = maximumSize }

    /// Makes ready for another reply.
    package mutating func reset(maximumSize: Int) {
        head = nil
        contentLength = nil
        status = nil
        fields.removeAll(keepingCapacity: true)
        size = 0
        self.maximumSize = maximumSize
    }

    /// Takes one line with its end.
    ///
    /// - Throws: `tooLarge`, or `protocol` for what is no head.
    package mutating func take(_ line: UnsafeRawBufferPointer) throws(CurlError) {
        size += line.count
        guard size <= maximumSize else {
            throw CurlError(.tooLarge, "the reply's head is over \(maximumSize) bytes")
        }
        // What comes after the head are trailers.
        guard head == nil else { return }
        var end = line.count
        while end > 0, line[end - 1] == UInt8(ascii: "\n") || line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        let content = UnsafeRawBufferPointer(rebasing: line[..<end])
        if Self.isStatusLine(content) {
            status = try Self.status(of: content)
            fields.removeAll(keepingCapacity: true)
            contentLength = nil
        } else if content.isEmpty {
            try finish()
        } else {
            try append(content)
        }
    }

    private mutating func finish() throws(CurlError) {
        guard let status else { return }
        self.status = nil
        // Nobody asked for that; what follows is no HTTP.
        if status == .switchingProtocols { throw CurlError(.protocol, "the server switched to another protocol") }
        if status.kind == .informational { return }
        head = HTTPResponse(status: status, headerFields: HTTPFields(fields))
    }

    private mutating func append(_ line: UnsafeRawBufferPointer) throws(CurlError) {
        let position = fields.count
        guard position < Self.maximumFields else {
            throw CurlError(.tooLarge, "the reply's head has over \(Self.maximumFields) headers")
        }
        let field: HTTPField
        if position < known.count, Self.isSame(known[position].line, line) {
            field = known[position].field
        } else {
            field = try Self.field(line)
            remember(line, field, at: position)
        }
        if field.name == .contentLength { try takeLength(field.value) }
        fields.append(field)
    }

    /// RFC 9112, section 6.3: one length, or the same again. libcurl believes the last one, and what it begins with.
    private mutating func takeLength(_ value: String) throws(CurlError) {
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            let digits = part.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
            guard digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
                let length = Int(String(decoding: digits, as: UTF8.self))
            else { throw CurlError(.protocol, "the reply's Content-Length is none") }
            guard contentLength == nil || contentLength == length else {
                throw CurlError(.protocol, "the reply's Content-Lengths differ")
            }
            contentLength = length
        }
    }

    private mutating func remember(_ line: UnsafeRawBufferPointer, _ field: HTTPField, at position: Int) {
        if position < known.count {
            known[position] = (Array(line), field)
        } else if position == known.count, position < Self.maximumKnown {
            known.append((Array(line), field))
        }
    }

    private static func isSame(_ known: [UInt8], _ line: UnsafeRawBufferPointer) -> Bool {
        guard known.count == line.count, let start = line.baseAddress else { return false }
        return known.withUnsafeBytes { $0.baseAddress.map { memcmp($0, start, line.count) == 0 } ?? false }
    }

    private static func field(_ line: UnsafeRawBufferPointer) throws(CurlError) -> HTTPField {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { throw CurlError(.protocol, "the reply has a header that is none") }
        var start = colon + 1
        var end = line.count
        while start < end, isBlank(line[start]) { start += 1 }
        while start < end, isBlank(line[end - 1]) { end -= 1 }
        return HTTPField(name: name, value: UnsafeRawBufferPointer(rebasing: line[start..<end]))
    }

    static func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
        line.count >= 5 && line.prefix(5).elementsEqual("HTTP/".utf8)
    }

    /// `HTTP/1.1 200 OK`, `HTTP/2 200`.
    private static func status(of line: UnsafeRawBufferPointer) throws(CurlError) -> HTTPResponse.Status {
        let blank = UInt8(ascii: " ")
        let digits = (line.firstIndex(of: blank) ?? line.count - 1) + 1
        var code = 0
        var end = digits
        while end < line.count, line[end] != blank {
            let digit = Int(line[end]) - Int(UInt8(ascii: "0"))
            guard (0...9).contains(digit), end - digits < 3 else { break }
            code = code * 10 + digit
            end += 1
        }
        guard end - digits == 3, end == line.count || line[end] == blank, code >= 100 else {
            throw CurlError(.protocol, "the reply's status is none")
        }
        let reason = String(decoding: line[min(end + 1, line.count)...], as: UTF8.self)
        return HTTPResponse.Status(code: code, reasonPhrase: reason)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
