#if Curl
import CLibcurl
package import HTTPTypes  // HTTPResponse

/// Parses a reply's head from libcurl's header lines; interim heads and trailers are left out.
///
/// Reused for one reply after another. It remembers the last head, because a server repeats most lines and often all of
/// them.
package final class HeadParser {
    /// The final head, once it is complete.
    package var head: HTTPResponse? { complete?.head }

    private let maximumFields = 10_000  // HTTPFields holds no more than 65,534.
    private var maximumSize: Int
    private var size = 0
    /// The number of bytes that have arrived, as long as their lines are the last head's; `nil` once one differs.
    private var repeated: Int? = 0
    /// The lines of a head that differs from the last one, with their ends.
    private var bytes: [UInt8] = []
    /// The final head with everything found in it, once it is complete.
    private(set) var complete: Known?
    private var last: Known?

    /// A parsed head with everything found in it.
    final class Known: Sendable {
        fileprivate let bytes: [UInt8]
        fileprivate let lines: [HeadLine]
        let head: HTTPResponse
        /// The head's status: `HTTPResponse` parses its own at each look.
        let status: Int
        /// `1.1`, `2`.
        let version: String
        let framing: Framing
        let codings: ContentCodings

        /// Whether a reply of this status ends with its head.
        var hasNoBody: Bool { status == 204 || status == 304 }

        fileprivate init(
            _ bytes: [UInt8],
            _ lines: [HeadLine],
            _ head: HTTPResponse,
            _ version: String,
            _ framing: Framing,
            _ codings: ContentCodings
        ) {
            self.bytes = bytes
            self.lines = lines
            self.head = head
            status = head.status.code
            self.version = version
            self.framing = framing
            self.codings = codings
        }

        /// Whether there is such a line, with its end.
        fileprivate func hasLine(_ line: UnsafeRawBufferPointer, at offset: Int) -> Bool {
            guard offset + line.count <= bytes.count, line.last == UInt8(ascii: "\n") else { return false }
            return bytes.withUnsafeBytes { bytes in
                guard let known = bytes.baseAddress, let start = line.baseAddress else { return false }
                return memcmp(known + offset, start, line.count) == 0
            }
        }
    }

    package init(maximumSize: Int) {
        self.maximumSize = maximumSize
        bytes.reserveCapacity(1024)
    }

    /// Prepares for another reply.
    package func reset(maximumSize: Int) {
        complete = nil
        size = 0
        forget()
        self.maximumSize = maximumSize
    }

    private func forget() {
        if repeated == nil { bytes.removeAll(keepingCapacity: true) }
        repeated = 0
    }

    /// Parses one line, including its line end.
    ///
    /// - Returns: whether it completes the final head.
    /// - Throws: `tooLarge`, or `protocol` for a malformed head.
    @discardableResult
    package func take(_ line: UnsafeRawBufferPointer) throws(CurlError) -> Bool {
        size += line.count
        guard size <= maximumSize else {
            throw CurlError(.tooLarge, "the reply's head is over \(maximumSize) bytes")
        }
        // Lines after the head are trailers.
        guard complete == nil else { return false }
        if let offset = repeated, let last, last.hasLine(line, at: offset) {
            repeated = offset + line.count
            return false
        }
        let text = HeadLine.withoutEnd(line)
        guard text.isEmpty else {
            // libcurl treats the line as the end of the head.
            guard text.first != UInt8(ascii: "\r") else { throw HeadLine.controlCharacter }
            differ()
            bytes.append(contentsOf: line)
            return false
        }
        guard repeated != 0 else { return false }
        let known: Known
        if let last, repeated == last.bytes.count {
            known = last
        } else {
            differ()
            known = try parse()
        }
        forget()
        if known.status < 200 { return false }
        complete = known
        last = known
        return true
    }

    /// Begins a head that differs from the last one with the lines that do not.
    private func differ() {
        if let repeated, let last { bytes.append(contentsOf: last.bytes[..<repeated]) }
        repeated = nil
    }

    private func parse() throws(CurlError) -> Known {
        var lines: [HeadLine] = []
        var fields: [HTTPField] = []
        var status: (status: HTTPResponse.Status, version: String)?
        var framing = Framing()
        var codings = ContentCodings()
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
            let line = try HeadLine(bytes[start..<end], knownAs: last?.lines.dropFirst(lines.count).first)
            start = end
            lines.append(line)
            switch line.content {
            case .status(let found, let version):
                // libcurl does not start over at a second status line, and keeps the body length it has read.
                guard status == nil, fields.isEmpty else { throw CurlError(.protocol, "the reply has a second status") }
                status = (found, version)
            case .field(let field):
                guard fields.count < maximumFields else {
                    throw CurlError(.tooLarge, "the reply's head has over \(maximumFields) headers")
                }
                fields.append(field)
            case .continuation(let more):
                // libcurl reads the framing from a field's first line alone.
                guard let field = fields.popLast(), field.name != .contentLength, field.name != .transferEncoding else {
                    throw HeadLine.invalidField
                }
                let value = field.withUnsafeBytesOfValue { Array($0) }
                fields.append(HTTPField(name: field.name, value: value + [UInt8(ascii: " ")] + more))
            case .odd: break
            }
        }
        for field in fields {
            try framing.take(field)
            if field.name == .contentEncoding { codings.append(field.value) }
        }
        guard let status else { throw CurlError(.protocol, "the reply has no status") }
        // The client never asks for an upgrade; what follows is not HTTP.
        if status.status == .switchingProtocols {
            throw CurlError(.protocol, "the server switched to another protocol")
        }
        try framing.check(status.status, version: status.version)
        let head = HTTPResponse(status: status.status, headerFields: HTTPFields(fields))
        return Known(bytes, lines, head, status.version, framing, codings)
    }

    static func isStatusLine(_ line: some Collection<UInt8>) -> Bool {
        line.first == UInt8(ascii: "H") && line.starts(with: "HTTP/".utf8)
    }
}
#endif
