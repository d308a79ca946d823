#if Curl
import HTTPTypes

/// What a part of a download is a part of, as noted beside it. With it the download goes on where it was cut (RFC 9110,
/// section 14).
struct DownloadProgress: Equatable {
    /// A digest of the address: the address may hold secrets.
    var resource: UInt64
    /// A strong entity tag, or a date that is as good as one.
    var validator: String
    /// The size of the whole body; nil if the server did not say.
    var total: Int?
    /// How many bytes of the part are certainly on disk.
    var synced = 0
    /// The system's boot in which the note was written; nil if unknown.
    var boot: String?

    // MARK: The note

    private static let title = "cofferdam download 1"

    var note: String {
        let lines = [String(resource, radix: 36), validator, total.map { "\($0)" } ?? "-", "\(synced)", boot ?? "-"]
        return ([Self.title] + lines + [""]).joined(separator: "\n")
    }

    /// Nil for a note that was cut, or is none.
    init?(note: String) {
        let lines = note.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 7, lines[0] == Self.title, lines[6].isEmpty, let resource = UInt64(lines[1], radix: 36),
            HTTPField.isValidValue(String(lines[2])), !lines[2].isEmpty
        else { return nil }
        let total = Int(lines[3])
        guard total != nil || lines[3] == "-", total.map({ $0 > 0 }) ?? true, let synced = Int(lines[4]), synced >= 0
        else { return nil }
        self.resource = resource
        validator = String(lines[2])
        self.total = total
        self.synced = synced
        boot = lines[5] == "-" ? nil : String(lines[5])
    }

    // MARK: The first reply

    /// Nil if the rest of this body could not be asked for later.
    init?(of request: HTTPRequest, _ head: HTTPResponse) {
        guard head.status == .ok, let resource = Self.resource(of: request),
            head.headerFields[.contentEncoding] == nil,
            head.headerFields[.acceptRanges]?.lowercased() != "none",
            let validator = Self.validator(of: head)
        else { return nil }
        self.resource = resource
        self.validator = validator
        total = head.headerFields[.contentLength].flatMap(Int.init)
        if total == 0 { return nil }
    }

    /// Nil for a request whose body cannot be asked for in parts: only a plain GET's can.
    static func resource(of request: HTTPRequest) -> UInt64? {
        let fields = request.headerFields
        guard request.method == .get, fields[.range] == nil, fields[.ifRange] == nil else { return nil }
        return StableHash.of("\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")")
    }

    /// A strong validator (RFC 9110, sections 8.8.2.2 and 8.8.3); nil if there is none.
    private static func validator(of head: HTTPResponse) -> String? {
        if let tag = head.headerFields[.eTag] {
            return tag.count > 1 && tag.hasPrefix("\"") && tag.hasSuffix("\"") ? tag : nil
        }
        // A date is strong if the body could not have changed again within its second.
        guard let modified = head.headerFields[.lastModified], let date = head.headerFields[.date],
            let changed = HTTPDate.seconds(of: modified), let sent = HTTPDate.seconds(of: date), sent > changed
        else { return nil }
        return modified
    }

    // MARK: Going on

    /// How many bytes of a part of that size are used. The last byte of the body is asked for again, so that the server
    /// confirms a whole part.
    ///
    /// After a crash of the system a file may have its size but not its bytes. After one of the program it has both.
    func usable(of size: Int) -> Int {
        let certain = boot != nil && boot == SystemBoot.current ? size : min(size, synced)
        return total.map { min(certain, $0 - 1) } ?? certain
    }

    /// The request for the rest after that many bytes.
    func request(_ request: HTTPRequest, after size: Int) -> HTTPRequest {
        var request = request
        request.headerFields[.range] = "bytes=\(size)-"
        request.headerFields[.ifRange] = validator
        return request
    }

    /// Checks that a 206 goes on after that many bytes of the same body, and says how long that is.
    ///
    /// - Throws: `protocol`.
    mutating func check(_ head: HTTPResponse, after size: Int) throws(CurlError) {
        guard let text = head.headerFields[.contentRange], let range = ContentRange(text), range.first == size,
            let whole = range.total, total == nil || whole == total
        else { throw CurlError(.protocol, "the reply has another range than the one asked for", wasSent: true) }
        let found = head.headerFields[validator.hasPrefix("\"") ? .eTag : .lastModified]
        guard found == nil || found == validator else {
            throw CurlError(.protocol, "the reply is a part of another body", wasSent: true)
        }
        guard head.headerFields[.contentEncoding] == nil else {
            throw CurlError(.protocol, "the reply has a content coding that the request excludes", wasSent: true)
        }
        total = whole
    }

    /// The head of the whole body, from that of its last part (RFC 9110, section 15.3.7.3).
    static func whole(_ head: HTTPResponse, size: Int) -> HTTPResponse {
        var head = head
        head.status = .ok
        head.headerFields[.contentRange] = nil
        head.headerFields[.contentLength] = "\(size)"
        return head
    }
}

/// "bytes 500-999/1234" (RFC 9110, section 14.4).
struct ContentRange: Equatable {
    var first: Int
    var last: Int
    /// Nil for "*".
    var total: Int?

    init(first: Int, last: Int, total: Int? = nil) { (self.first, self.last, self.total) = (first, last, total) }

    init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let numbers = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = numbers[0].split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2, ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last
        else { return nil }
        let total = Self.number(numbers[1])
        guard numbers[1] == "*" || total.map({ $0 > last }) ?? false else { return nil }
        (self.first, self.last, self.total) = (first, last, total)
    }

    /// Digits only: no sign.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
#endif
