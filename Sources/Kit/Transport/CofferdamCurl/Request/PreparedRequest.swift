#if Curl
package import HTTPTypes  // HTTPField

/// A request in libcurl's form, after all checks that libcurl does not make.
struct PreparedRequest: Sendable {
    /// The URL and then the header lines, each followed by a NUL.
    let wire: [UInt8]
    /// The number of the URL's bytes before its path.
    let originSize: Int
    let headerCount: Int
    /// The authority, for the log: no path, no query.
    let authority: String
    let method: String
    let isSecure: Bool
    let body: CurlRequestBody
    /// Whether a body is announced, even when it is empty.
    let sendsBody: Bool
    /// The body's length in bytes; `nil` when it is not known.
    let bodySize: Int?
    /// Whether libcurl may automatically send the request again if a reused connection was lost without an answer.
    let isSentAgain: Bool

    init(
        _ request: HTTPRequest,
        body: CurlRequestBody,
        version: CurlHTTPVersion = .automatic,
        decompresses: Bool = false,
        userAgent: String? = nil
    ) throws(CurlError) {
        method = request.method.rawValue
        try HeaderLine.check(token: method.utf8, what: "method")
        if method == "CONNECT" { throw Self.refused("the method CONNECT is not supported") }
        if method == "HEAD", !body.isEmpty { throw Self.refused("a HEAD request has no body") }
        bodySize = try body.size
        let target = try RequestTarget(scheme: request.scheme, authority: request.authority, path: request.path)
        authority = target.authority
        isSecure = target.scheme == "https"
        self.body = body
        sendsBody =
            switch method {
            case "POST", "PUT", "PATCH": true
            default: !body.isEmpty
            }

        var wire: [UInt8] = []
        wire.reserveCapacity(512)
        target.append(to: &wire)
        originSize = wire.count - 1 - target.path.utf8.count
        var count = 0
        var hasKey = false
        var hasType = false
        var (hasCodings, hasRange, hasAgent) = (false, false, false)
        for field in request.headerFields {
            switch field.name.canonicalName {
            case "host":
                guard field.value == target.authority else { throw Self.refused("Host differs from the URL") }
                continue
            case "content-length":
                guard let bodySize, field.value == String(bodySize) else {
                    throw Self.refused("Content-Length differs from the body")
                }
                continue
            case "transfer-encoding", "expect", "connection":
                throw Self.refused("the header \(field.name.canonicalName) is set by the transport")
            case "idempotency-key": hasKey = hasKey || field.isIdempotencyKey
            case "content-type": hasType = true
            case "accept-encoding": hasCodings = true
            case "range": hasRange = true
            case "user-agent": hasAgent = true
            default: break
            }
            try HeaderLine.append(field, to: &wire)
            count += 1
        }
        if decompresses, !hasCodings {
            // Part of a coded body cannot be decoded; follows the Fetch standard, HTTP-network-or-cache fetch.
            wire.append(text: "Accept-Encoding: ")
            wire.append(text: hasRange ? "identity" : ContentCodings.offered)
            wire.append(0)
            count += 1
        }
        if let userAgent, !hasAgent {
            // libcurl would write its own option twice, byte by byte.
            wire.append(text: "User-Agent: ")
            wire.append(text: userAgent)
            wire.append(0)
            count += 1
        }
        if sendsBody {
            // Otherwise libcurl waits for a 100, and labels every body as a form.
            wire.append(text: hasType ? "Expect:\0" : "Expect:\0Content-Type:\0")
            count += hasType ? 1 : 2
            // It also sends chunks within HTTP/2 when it did not negotiate that version itself.
            if version == .http2, !isSecure, bodySize == nil {
                wire.append(text: "Transfer-Encoding:\0")
                count += 1
            }
        }
        guard wire.count <= Self.maximumHeadSize else {
            throw Self.refused("the request's head is over \(Self.maximumHeadSize) bytes")
        }
        self.wire = wire
        headerCount = count
        let isSafe =
            switch method {
            case "GET", "HEAD", "OPTIONS": true
            default: false
            }
        isSentAgain = (isSafe || hasKey) && body.isReplayable
    }

    /// The method, where libcurl would send another one.
    var customMethod: String? {
        switch method {
        case "GET": sendsBody ? method : nil
        case "HEAD": nil
        case "POST": if case .bytes = body.content { nil } else { method }
        default: method
        }
    }

    /// libcurl's limit is 1 MB, including what it adds itself.
    private static let maximumHeadSize = 1_000_000

    private static func refused(_ message: String) -> CurlError {
        CurlError(.invalidRequest, message, wasSent: false)
    }
}

/// A header line in libcurl's form.
package enum HeaderLine {
    /// Appends the line, followed by a NUL.
    package static func append(_ field: HTTPField, to wire: inout [UInt8]) throws(CurlError) {
        // HTTPTypes guarantees that the name is a token.
        try field.withUnsafeBytesOfValue { (value) throws(CurlError) in
            try append(checkedName: field.name.rawName, value: value, to: &wire)
        }
    }

    /// - Throws: `invalidRequest` when the name is not a token or the value could end the line. The error does not
    ///   contain the value.
    package static func append(
        name: String,
        value: some Collection<UInt8>,
        to wire: inout [UInt8]
    ) throws(CurlError) {
        try check(token: name.utf8, what: "header name")
        try append(checkedName: name, value: value, to: &wire)
    }

    private static func append(
        checkedName name: String,
        value: some Collection<UInt8>,
        to wire: inout [UInt8]
    ) throws(CurlError) {
        guard value.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == UInt8(ascii: "\t") }) else {
            throw CurlError(
                .invalidRequest,
                "the value of the header \(name) has a control character",
                wasSent: false
            )
        }
        wire.append(text: name)
        if value.isEmpty {
            // libcurl's syntax for a header without a value.
            wire.append(UInt8(ascii: ";"))
        } else {
            wire.append(UInt8(ascii: ":"))
            wire.append(UInt8(ascii: " "))
            wire.append(contentsOf: value)
        }
        wire.append(0)
    }

    package static func check(token: some Collection<UInt8>, what: String) throws(CurlError) {
        guard !token.isEmpty, token.allSatisfy(isTokenByte) else {
            throw CurlError(.invalidRequest, "the \(what) is not a token", wasSent: false)
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: "!#$%&'*+.^_`|~".utf8.contains(byte)
        }
    }
}
#endif
