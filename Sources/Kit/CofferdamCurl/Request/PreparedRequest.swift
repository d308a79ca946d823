import HTTPTypes

/// A request as libcurl takes it, with everything checked that libcurl would let through.
struct PreparedRequest: Sendable {
    let url: String
    /// For the log: no path, no query.
    let authority: String
    let method: String
    /// As `CURLOPT_HTTPHEADER` wants them, headers that libcurl shall not add included.
    let headerLines: [String]
    let body: [UInt8]
    /// Whether libcurl may send it a second time by itself, when a reused connection died without an answer.
    let isRepeatable: Bool

    init(_ request: HTTPRequest, body: [UInt8], userAgent: String?) throws(CurlError) {
        let target = try RequestTarget(scheme: request.scheme, authority: request.authority, path: request.path)
        method = request.method.rawValue
        try HeaderLine.check(token: method, what: "method")
        if method == "CONNECT" { throw Self.refused("the method CONNECT is not supported") }
        if method == "HEAD", !body.isEmpty { throw Self.refused("a HEAD request has no body") }
        url = target.url
        authority = target.authority
        self.body = body

        var lines: [String] = ["Expect:"]
        for field in request.headerFields {
            switch field.name {
            case let name where name.canonicalName == "host":
                guard field.value == target.authority else { throw Self.refused("Host differs from the URL") }
            case .contentLength:
                guard field.value == String(body.count) else {
                    throw Self.refused("Content-Length differs from the body")
                }
            case .transferEncoding, .expect, .connection:
                throw Self.refused("the header \(field.name.canonicalName) is the transport's own")
            default:
                lines.append(try HeaderLine.render(name: field.name.rawName, value: field.value))
            }
        }
        if let userAgent, request.headerFields[.userAgent] == nil {
            lines.append(try HeaderLine.render(name: "User-Agent", value: userAgent))
        }
        // Else libcurl calls every body a form.
        if request.headerFields[.contentType] == nil { lines.append("Content-Type:") }
        headerLines = lines
        isRepeatable =
            ["GET", "HEAD", "OPTIONS"].contains(method)
            || request.headerFields.contains { $0.name.canonicalName == "idempotency-key" }
    }

    /// Whether a body is announced even when it is empty.
    var sendsBody: Bool { !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method) }

    private static func refused(_ message: String) -> CurlError {
        CurlError(.invalidRequest, message, wasSent: false)
    }
}

/// One header as libcurl takes it.
package enum HeaderLine {
    /// - Throws: `invalidRequest` when the name is no token or the value could end the line. The value is not repeated.
    package static func render(name: String, value: String) throws(CurlError) -> String {
        try check(token: name, what: "header name")
        guard value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == UInt8(ascii: "\t") }) else {
            throw CurlError(
                .invalidRequest,
                "the value of the header \(name) has a control character",
                wasSent: false
            )
        }
        // libcurl's way to send a header without a value.
        return value.isEmpty ? "\(name);" : "\(name): \(value)"
    }

    package static func check(token: String, what: String) throws(CurlError) {
        guard !token.isEmpty, token.utf8.allSatisfy(isTokenByte) else {
            throw CurlError(.invalidRequest, "the \(what) is not a token", wasSent: false)
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !#"()<>@,;:\"/[]?={}"#.utf8.contains(byte)
    }
}
