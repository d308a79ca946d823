#if Curl
import Cofferdam
import CofferdamSupport
import CLibcurl
import CofferdamCurl
import HTTPTypes
import Testing

struct RedirectTargetTests {
    static let base = "http://h:8080/a/b?q=1"

    @Test(arguments: [
        // RFC 3986, section 5.4: the cases that differ.
        ("g", "http://h:8080/a/g"), ("./g", "http://h:8080/a/g"), ("g/", "http://h:8080/a/g/"),
        ("/g", "http://h:8080/g"), ("//g", "http://g/"), ("?y", "http://h:8080/a/b?y"),
        ("g?y", "http://h:8080/a/g?y"), ("#s", base), ("g#s", "http://h:8080/a/g"), ("", base),
        ("..", "http://h:8080/"), ("../g", "http://h:8080/g"), ("../../../g", "http://h:8080/g"),
        ("/./g", "http://h:8080/g"), ("/../g", "http://h:8080/g"),
        ("g?y/../x", "http://h:8080/a/g?y/../x"),
        // As servers write them.
        (" /x ", "http://h:8080/x"), ("HTTPS://O/", "https://O/"), ("http://o", "http://o/"),
        ("http://o?x", "http://o/?x"), ("http://o:/", "http://o/"), ("/x?u=http://o/", "http://h:8080/x?u=http://o/"),
        ("/a b", "http://h:8080/a%20b"), ("http://o/a b", "http://o/a%20b"), ("/é", "http://h:8080/%c3%a9"),
        ("/%2e%2e/x", "http://h:8080/%2e%2e/x"),
        ("http://[::1]:1/", "http://[::1]:1/"), ("/\\o/", "http://h:8080/\\o/"),
    ])
    func `A location is resolved against the request`(location: String, expected: String) throws {
        let step = try RedirectPolicyTests.step(
            from: HTTPRequest(.post, url: Self.base),
            303,
            to: location
        )
        let next = try RedirectPolicyTests.followed(step).request
        #expect("\(next.scheme ?? "")://\(next.authority ?? "")\(next.path ?? "")" == expected)
    }

    @Test func `A location in Latin-1 keeps its bytes`() async throws {
        let server = try ScriptedServer { connection, request in
            guard request.path == "/" else { return connection.reply(Array(request.path.utf8)) }
            let location = Array("Location: /caf".utf8) + [0xE9]
            connection.send(Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n".utf8) + location + [13, 10, 13, 10])
        }
        try await withClient(.defaults { $0.options.redirects = .followed() }) { client in
            let reply = try await client.send(HTTPRequest(.get, url: server.url))
            #expect(String(decoding: reply.body, as: UTF8.self) == "/caf%e9")
        }
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://private/", "gopher://h:25/_private", "javascript:private", "data:,private",
        "mailto:private@h", "x://private", "http:private", "http://u:private@h/", "//private@h/", "http://o\\@private/",
        "http://o:99999/private", "http://o:x/", "http://é/private", "http://a%2fb/private", "http://a%25/private",
        "//%25/private", "http://[::1/private",
        "http://o private/", "http://", "/\u{0}private", "/\u{1}private", "/private\u{7F}", "http://o\tprivate/",
        "/x\r\nprivate: y",
    ])
    func `A location that is invalid, not on the web, or more than a location, is refused`(location: String) throws {
        let error = try #require(throws: CurlError.self) {
            // Without a header field, because HTTPTypes turns some control characters into spaces.
            try RedirectTarget.resolve(Array(location.utf8), against: HTTPRequest(.get, url: Self.base))
        }
        #expect(error.code == .redirect)
        #expect(error.wasSent == true)
        #expect(error.message.hasPrefix("h:"))
        #expect(!error.message.contains("private"))
    }

    /// Fragments of URLs, chosen to be confused with one another.
    static let pieces = [
        "http", "https", "file", ":", "/", "//", "\\", "@", "h", "o.h", "%68", "%2f", "%40", "%00", "?", "#", "[", "]",
        "::1", "8080", "443", "0x7f.1", ".", "..", " ", "\t", "\u{1}", "é", "%", "&", ";", "a:b@", "HTTP://",
        "//h:8080",
    ]

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `The host that is compared is always the one that libcurl connects to`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let request = try HTTPRequest(.get, url: Self.base, headerFields: [.authorization: "private"])
        for _ in 0..<200 {
            let count = Int.random(in: 0...6, using: &random)
            let location = (0..<count).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
            var step = RedirectStep.deliver
            do throws(CurlError) {
                var response = HTTPResponse(status: .seeOther)
                response.headerFields[.location] = location
                step = try RedirectPolicy.followed()
                    .step(after: request, isBodyReplayable: true, response: response, earlier: [])
            } catch {
                #expect(error.code == .redirect)
                continue
            }
            guard case .follow(let next, _) = step else { continue }
            let origin = try #require(RequestOrigin(next), "\(location)")
            let url = "\(next.scheme ?? "")://\(next.authority ?? "")\(next.path ?? "")"
            let host = try #require(Self.host(of: url), "\(location) became \(url)")
            #expect(host == (origin.host.contains(":") ? "[\(origin.host)]" : origin.host), "\(location)")
            let isSame = origin == RequestOrigin(request)
            #expect((next.headerFields[.authorization] != nil) == isSame, "\(location)")
        }
    }

    /// The host as libcurl parses it when it connects.
    private static func host(of url: String) -> String? {
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        var host: UnsafeMutablePointer<CChar>?
        guard curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK,
            curl_url_get(handle, CURLUPART_HOST, &host, 0) == CURLUE_OK, let host
        else { return nil }
        defer { curl_free(host) }
        return String(cString: host).lowercased()
    }
}
#endif
