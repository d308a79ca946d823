public import CofferdamContracts  // the faults that a framing can act out

/// The framing of HTTP/1.1, with bodies of a declared length or in chunks.
///
/// The operation is "GET /animals/7", without the query, unless you name groups of requests:
///
/// ```swift
/// HTTPFraming(routes: ["GET /animals/{id}", "POST /orders"])
/// ```
///
/// `Expect: 100-continue` and upgraded connections are not supported: a request is forwarded when it is complete.
public struct HTTPFraming: Framing {
    /// The parts of a request that decide its operation.
    public struct Request: Sendable, Hashable {
        /// "GET".
        public var method: String
        /// "/animals/7?fields=name".
        public var target: String
        /// The target without its query.
        public var path: String { String(target.prefix { $0 != "?" }) }
        /// The body, with its chunks joined: one path may serve several operations, as a token endpoint does.
        public var body: [UInt8]
    }

    /// "HTTP/1.1", as errors name it.
    public let name = "HTTP/1.1"
    private let classify: @Sendable (Request) -> String
    private let errorBody: @Sendable (_ status: Int) -> (type: String, text: String)

    /// - Parameters:
    ///   - errorBody: returns the content type and text of the vendor's error replies, for the fault `status`.
    ///   - classify: returns the name of a request's operation.
    public init(
        errorBody: @escaping @Sendable (_ status: Int) -> (type: String, text: String) = { _ in ("text/plain", "") },
        classify: @escaping @Sendable (Request) -> String = { "\($0.method) \($0.path)" }
    ) {
        self.classify = classify
        self.errorBody = errorBody
    }

    /// - Parameter routes: operations such as "GET /animals/{id}", in which a part in braces matches any; a request
    ///   that matches none is named by its method and path.
    public init(
        routes: [String],
        errorBody: @escaping @Sendable (_ status: Int) -> (type: String, text: String) = { _ in ("text/plain", "") }
    ) {
        let patterns = routes.map { (name: $0, parts: Self.parts(of: $0)) }
        self.init(errorBody: errorBody) { request in
            let name = "\(request.method) \(request.path)"
            let parts = Self.parts(of: name)
            let pattern = patterns.first { pattern in
                pattern.parts.count == parts.count
                    && zip(pattern.parts, parts).allSatisfy { (expected: Substring, part: Substring) in
                        expected == part || (expected.hasPrefix("{") && expected.hasSuffix("}"))
                    }
            }
            return pattern?.name ?? name
        }
    }

    /// Makes a parser for one connection's requests.
    public func requestParser() -> any FrameParser { HTTPParser(.request) }

    /// Makes a parser for the reply to that request.
    public func replyParser(to request: [UInt8]?) -> any FrameParser {
        HTTPParser(request?.starts(with: Array("HEAD ".utf8)) == true ? .replyToHead : .reply)
    }

    /// Returns the name of the request's operation.
    public func operation(of request: [UInt8]) throws -> String {
        let (method, target) = try Self.requestLine(of: request)
        var parser = HTTPParser(.request, keepsBody: true)
        if !request.isEmpty { _ = try parser.parse(request[...]) }
        return classify(Request(method: method, target: target, body: parser.body))
    }

    private static func requestLine(of request: [UInt8]) throws -> (method: String, target: String) {
        let line = request.prefix { $0 != .carriageReturn && $0 != .lineFeed }
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, !words[1].isEmpty else {
            throw MalformedFrame("a malformed request line")
        }
        return (String(decoding: words[0], as: UTF8.self), String(decoding: words[1], as: UTF8.self))
    }

    private static func parts(of name: String) -> [Substring] {
        name.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == " " }
    }

    // MARK: Faults

    /// Returns the fault as a reply or an action on the connection; nil if HTTP cannot express it.
    public func action(for fault: VendorFault) -> ProxyAction? {
        switch fault {
        case .status(let status, let retryAfter):
            let body = errorBody(status)
            let seconds = retryAfter.map { "Retry-After: \($0.components.seconds)" }
            return .answer(
                Self.answer(status, type: body.type, Array(body.text.utf8), fields: seconds.map { [$0] } ?? [])
            )
        case .html:
            let page = "<!doctype html><title>Sign in to the network</title><p>Welcome."
            return .answer(Self.answer(200, type: "text/html; charset=utf-8", Array(page.utf8)))
        case .garbage:
            let bytes: [UInt8] = Array("{\"items\": [{\"id\": 1, \"na".utf8) + [0xFF, 0x00, 0xFE]
            return .answer(Self.answer(200, type: "application/json", bytes))
        case .redirectLoop:
            return .answer { request in
                Self.answer(307, type: nil, [], fields: ["Location: \(try Self.requestLine(of: request).target)"])
            }
        case .stall(let count):
            return .stall(afterBytes: count, of: .body)
        case .encoded:
            return nil
        default:
            return rewriting(for: fault) ?? connectionAction(for: fault)
        }
    }

    /// Returns the action for a fault that spoils the server's own reply.
    private func rewriting(for fault: VendorFault) -> ProxyAction? {
        switch fault {
        case .truncated:
            .rewriteReply(then: .close) { _, reply in
                let reply = try HTTPReply(reply)
                let half = reply.body.prefix(reply.body.count / 2)
                return reply.head(adding: "Content-Length: \(max(reply.body.count, 16))") + half
            }
        case .wrongLength(let difference):
            .rewriteReply(then: .close) { _, reply in
                let reply = try HTTPReply(reply)
                let (length, overflows) = reply.body.count.addingReportingOverflow(difference)
                return reply.head(adding: "Content-Length: \(overflows ? Int.max : max(0, length))") + reply.body
            }
        case .malformedChunk:
            .rewriteReply(then: .close) { _, reply in
                let reply = try HTTPReply(reply)
                let half = reply.body.prefix(reply.body.count / 2)
                return reply.head(adding: "Transfer-Encoding: chunked") + HTTPReply.chunk(half) + Array("zz\r\n".utf8)
            }
        case .chunked:
            .rewriteReply { _, reply in
                let reply = try HTTPReply(reply)
                let half = reply.body.count / 2
                return reply.head(adding: "Transfer-Encoding: chunked") + HTTPReply.chunk(reply.body.prefix(half))
                    + HTTPReply.chunk(reply.body.dropFirst(half)) + Array("0\r\n\r\n".utf8)
            }
        case .withoutLength:
            .rewriteReply(then: .close) { _, reply in
                let reply = try HTTPReply(reply)
                return reply.head(adding: "Connection: close") + reply.body
            }
        case .conflictingLengths:
            .rewriteReply(then: .close) { _, reply in
                let reply = try HTTPReply(reply)
                let lengths = "Content-Length: \(reply.body.count + 7)\r\nContent-Length: \(reply.body.count)"
                return reply.head(adding: lengths) + reply.body
            }
        default: nil
        }
    }

    /// Returns an answer's bytes, for ``ProxyAction/answer(_:)-swift.type.method``.
    public static func answer(
        _ status: Int,
        type: String?,
        _ body: [UInt8],
        fields: [String] = []
    ) -> [UInt8] {
        var lines = ["HTTP/1.1 \(status) \(status < 400 ? "OK" : "Error")", "Content-Length: \(body.count)"]
        if let type { lines.append("Content-Type: \(type)") }
        return Array((lines + fields).map { $0 + "\r\n" }.joined().utf8) + Array("\r\n".utf8) + body
    }
}

/// A reply that a parser has read to its end. The body has its chunks joined.
private struct HTTPReply {
    private var lines: [String]
    var body: [UInt8]

    init(_ bytes: [UInt8]) throws {
        var parser = HTTPParser(.reply, keepsBody: true)
        _ = try parser.parse(bytes[...])
        guard let length = parser.headLength else { throw MalformedFrame("a reply without the end of its head") }
        // Everything before the last head is interim replies.
        let head = String(decoding: bytes.prefix(length), as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        let start = lines.lastIndex { $0.hasPrefix("HTTP/") } ?? 0
        self.lines = lines[start...].map(String.init)
        body = parser.body
    }

    /// Returns the head with `fields` instead of those that give the body's length.
    func head(adding fields: String) -> [UInt8] {
        let kept = lines.filter { line in
            let name = line.prefix { $0 != ":" }.lowercased()
            return !["content-length", "transfer-encoding", "connection"].contains(name)
        }
        return Array((kept + [fields]).map { $0 + "\r\n" }.joined().utf8) + Array("\r\n".utf8)
    }

    static func chunk(_ bytes: some Collection<UInt8>) -> [UInt8] {
        bytes.isEmpty ? [] : Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
    }
}
