import CLibcurl
package import HTTPTypes  // HTTPResponse

/// Puts a reply's head together from libcurl's header lines; interim heads and trailers are left out.
///
/// Used for one reply after another, and remembers the last: a server repeats most of the lines, and often all of them.
package struct HeadParser {
    /// The final head, once it is complete.
    package private(set) var head: HTTPResponse?
    /// Of HTTP, of the final head: `1.1`, `2`.
    package private(set) var version = ""
    /// The announced length of the body.
    package private(set) var contentLength: Int?
    /// How the body is coded.
    package private(set) var codings = ContentCodings()

    private let maximumFields = 10_000  // HTTPFields holds no more than 65,534.
    private var maximumSize: Int
    private var size = 0
    /// The lines of the head that is arriving, with their ends.
    private var bytes: [UInt8] = []
    private var last: Known?

    /// A head, and all that was found in it.
    private final class Known {
        let bytes: [UInt8]
        let lines: [HeadLine]
        let head: HTTPResponse
        let version: String
        let contentLength: Int?
        let codings: ContentCodings
        let isInterim: Bool

        init(
            _ bytes: [UInt8],
            _ lines: [HeadLine],
            _ head: HTTPResponse,
            _ version: String,
            _ contentLength: Int?,
            _ codings: ContentCodings
        ) {
            self.bytes = bytes
            self.lines = lines
            self.head = head
            self.version = version
            self.contentLength = contentLength
            self.codings = codings
            isInterim = head.status.kind == .informational
        }
    }

    package init(maximumSize: Int) {
        self.maximumSize = maximumSize
        bytes.reserveCapacity(1024)
    }

    /// Makes ready for another reply.
    package mutating func reset(maximumSize: Int) {
        head = nil
        size = 0
        bytes.removeAll(keepingCapacity: true)
        self.maximumSize = maximumSize
    }

    /// Takes one line with its end.
    ///
    /// - Returns: whether it completes the final head.
    /// - Throws: `tooLarge`, or `protocol` for what is no head.
    @discardableResult
    package mutating func take(_ line: UnsafeRawBufferPointer) throws(CurlError) -> Bool {
        size += line.count
        guard size <= maximumSize else {
            throw CurlError(.tooLarge, "the reply's head is over \(maximumSize) bytes")
        }
        // What comes after the head are trailers.
        guard head == nil else { return false }
        let isEnd = line.allSatisfy { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        guard isEnd else {
            bytes.append(contentsOf: line)
            return false
        }
        guard !bytes.isEmpty else { return false }
        let known: Known
        if let last, Self.areSame(last.bytes, bytes) { known = last } else { known = try parse() }
        bytes.removeAll(keepingCapacity: true)
        if known.isInterim { return false }
        head = known.head
        version = known.version
        contentLength = known.contentLength
        codings = known.codings
        last = known
        return true
    }

    private static func areSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return left.withUnsafeBufferPointer { left in
            right.withUnsafeBufferPointer { right in
                guard let first = left.baseAddress, let second = right.baseAddress else { return true }
                return memcmp(first, second, left.count) == 0
            }
        }
    }

    private func parse() throws(CurlError) -> Known {
        var lines: [HeadLine] = []
        var fields: [HTTPField] = []
        var status: (status: HTTPResponse.Status, version: String)?
        var contentLength: Int?
        var codings = ContentCodings()
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
            let line = try HeadLine(bytes[start..<end], knownAs: last?.lines.dropFirst(lines.count).first)
            start = end
            lines.append(line)
            switch line.content {
            case .status(let found, let version):
                // libcurl gives the lines of one reply after those of another only when it has begun anew.
                status = (found, version)
                fields = []
                contentLength = nil
                codings = ContentCodings()
            case .field(let field):
                guard fields.count < maximumFields else {
                    throw CurlError(.tooLarge, "the reply's head has over \(maximumFields) headers")
                }
                if field.name == .contentLength { try Self.take(field.value, into: &contentLength) }
                if field.name == .contentEncoding { codings.append(field.value) }
                if field.name == .transferEncoding { try ContentCodings.check(transferEncoding: field.value) }
                fields.append(field)
            }
        }
        guard let status else { throw CurlError(.protocol, "the reply has no status") }
        // Nobody asked for that; what follows is no HTTP.
        if status.status == .switchingProtocols {
            throw CurlError(.protocol, "the server switched to another protocol")
        }
        let head = HTTPResponse(status: status.status, headerFields: HTTPFields(fields))
        return Known(bytes, lines, head, status.version, contentLength, codings)
    }

    /// RFC 9112, section 6.3: one length, or the same again. libcurl believes the last one, and what it begins with.
    private static func take(_ value: String, into contentLength: inout Int?) throws(CurlError) {
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

    static func isStatusLine(_ line: some Collection<UInt8>) -> Bool { line.starts(with: "HTTP/".utf8) }
}

/// One line of a head, and what it says.
private struct HeadLine {
    enum Content {
        case status(HTTPResponse.Status, version: String)
        case field(HTTPField)
    }

    private let bytes: [UInt8]
    let content: Content

    /// - Parameter known: the line at this place in the head before: if it is the same, so is what it says.
    init(_ line: ArraySlice<UInt8>, knownAs known: HeadLine?) throws(CurlError) {
        if let known, known.bytes.elementsEqual(line) {
            self = known
            return
        }
        bytes = Array(line)
        let end =
            line.lastIndex { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }.map { $0 + 1 } ?? line.startIndex
        let text = line[..<end]
        content = try HeadParser.isStatusLine(text) ? Self.status(text) : .field(Self.field(text))
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(CurlError) -> HTTPField {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { throw CurlError(.protocol, "the reply has a header that is none") }
        var value = line[line.index(after: colon)...]
        while let first = value.first, isBlank(first) { value.removeFirst() }
        while let last = value.last, isBlank(last) { value.removeLast() }
        return HTTPField(name: name, value: value)
    }

    /// `HTTP/1.1 200 OK`, `HTTP/2 200`.
    private static func status(_ line: ArraySlice<UInt8>) throws(CurlError) -> Content {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 1, parts[1].count == 3, let code = Int(String(decoding: parts[1], as: UTF8.self)),
            (100...999).contains(code)
        else { throw CurlError(.protocol, "the reply's status is none") }
        let reason = parts.count > 2 ? String(decoding: parts[2], as: UTF8.self) : ""
        let version = String(decoding: parts[0].dropFirst("HTTP/".utf8.count), as: UTF8.self)
        return .status(HTTPResponse.Status(code: code, reasonPhrase: reason), version: version)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
