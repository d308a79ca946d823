import HTTPTypes

/// Puts a reply's head together from libcurl's header lines; interim heads and trailers are left out.
struct HeadParser {
    /// The final head, once it is complete.
    private(set) var head: HTTPResponse?
    private var status: HTTPResponse.Status?
    private var fields = HTTPFields()
    private var size = 0
    private let maximumSize: Int

    init(maximumSize: Int) { self.maximumSize = maximumSize }

    /// The announced length of the body.
    var contentLength: Int? { head?.headerFields[.contentLength].flatMap { Int($0) } }

    /// Takes one line with its end.
    ///
    /// - Throws: `tooLarge`, or `protocol` for what is no head.
    mutating func take(_ line: UnsafeRawBufferPointer) throws(CurlError) {
        size += line.count
        guard size <= maximumSize else {
            throw CurlError(.tooLarge, "the reply's head is over \(maximumSize) bytes")
        }
        // What comes after the head are trailers.
        guard head == nil else { return }
        let content = line[...].droppingLast { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        if content.starts(with: "HTTP/".utf8) {
            status = try Self.status(of: content)
            fields = HTTPFields()
        } else if content.isEmpty {
            finish()
        } else {
            try append(content)
        }
    }

    private mutating func finish() {
        guard let status else { return }
        self.status = nil
        if status.kind == .informational, status != .switchingProtocols { return }
        head = HTTPResponse(status: status, headerFields: fields)
    }

    private mutating func append(_ line: Slice<UnsafeRawBufferPointer>) throws(CurlError) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { throw CurlError(.protocol, "the reply has a header that is none") }
        // HTTPFields holds no more than 65,534.
        guard fields.count < 10_000 else { throw CurlError(.tooLarge, "the reply's head has over 10000 headers") }
        let value = line[line.index(after: colon)...].drop(while: Self.isBlank)
        fields.append(HTTPField(name: name, value: value.droppingLast(where: Self.isBlank)))
    }

    /// `HTTP/1.1 200 OK`, `HTTP/2 200`.
    private static func status(of line: Slice<UnsafeRawBufferPointer>) throws(CurlError) -> HTTPResponse.Status {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 1, parts[1].count == 3, let code = Int(String(decoding: parts[1], as: UTF8.self)),
            (100...999).contains(code)
        else { throw CurlError(.protocol, "the reply's status is none") }
        let reason = parts.count > 2 ? String(decoding: parts[2], as: UTF8.self) : ""
        return HTTPResponse.Status(code: code, reasonPhrase: reason)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate func droppingLast(where isDropped: (UInt8) -> Bool) -> Self {
        var rest = self
        while let last = rest.last, isDropped(last) { rest = rest.dropLast() }
        return rest
    }
}
