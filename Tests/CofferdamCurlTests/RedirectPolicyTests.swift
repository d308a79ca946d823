#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

struct RedirectPolicyTests {
    static func step(
        _ policy: RedirectPolicy = .followed(),
        from request: HTTPRequest,
        _ status: Int = 302,
        to location: String?,
        isBodyReplayable: Bool = true,
        earlier: [HTTPRequest] = []
    ) throws -> RedirectStep {
        var response = HTTPResponse(status: .init(code: status))
        response.headerFields[.location] = location
        return try policy.step(
            after: request,
            isBodyReplayable: isBodyReplayable,
            response: response,
            earlier: earlier
        )
    }

    /// The next request and whether it has the body; fails the test when there is none.
    static func followed(_ step: RedirectStep) throws -> (request: HTTPRequest, keepsBody: Bool) {
        guard case .follow(let request, let keepsBody) = step else {
            throw CurlError(.unknown, "the reply was delivered")
        }
        return (request, keepsBody)
    }

    @Test func `By default a redirect is a reply like others`() throws {
        let request = try HTTPRequest(.get, url: "http://h/")
        #expect(try Self.step(.returned, from: request, to: "/x") == .deliver)
        #expect(try Self.step(.returned, from: request, to: "file:///etc/passwd") == .deliver)
    }

    @Test(arguments: [200, 201, 300, 304, 305, 306, 309, 399, 404, 503])
    func `A redirect that is not followed is delivered`(status: Int) throws {
        let request = try HTTPRequest(.get, url: "http://h/")
        #expect(try Self.step(from: request, status, to: "/x") == .deliver)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `A redirect without a location is delivered`(status: Int) throws {
        #expect(try Self.step(from: HTTPRequest(.get, url: "http://h/"), status, to: nil) == .deliver)
    }

    @Test(arguments: [
        (301, "GET", "GET", true), (301, "HEAD", "HEAD", true), (301, "POST", "GET", false), (301, "PUT", "PUT", true),
        (302, "GET", "GET", true), (302, "POST", "GET", false), (302, "DELETE", "DELETE", true),
        (303, "GET", "GET", false), (303, "HEAD", "HEAD", false), (303, "POST", "GET", false),
        (303, "PUT", "GET", false), (303, "DELETE", "GET", false),
        (307, "GET", "GET", true), (307, "POST", "POST", true), (307, "PATCH", "PATCH", true),
        (308, "POST", "POST", true), (308, "PUT", "PUT", true),
    ])
    func `The status determines method and body`(
        status: Int,
        method: String,
        expected: String,
        keepsBody: Bool
    ) throws {
        let fields: HTTPFields = [
            .contentType: "text/plain", .contentEncoding: "gzip", .contentLength: "3", .ifMatch: "\"1\"",
            .authorization: "private",
        ]
        let before = try HTTPRequest(#require(.init(method)), url: "http://h/", headerFields: fields)
        let (after, hasBody) = try Self.followed(Self.step(from: before, status, to: "/x"))
        #expect(after.method.rawValue == expected)
        #expect(hasBody == keepsBody)
        for name in [HTTPField.Name.contentType, .contentEncoding, .contentLength] {
            #expect((after.headerFields[name] != nil) == keepsBody, "\(name)")
        }
        #expect((after.headerFields[.ifMatch] != nil) == (method == expected))
        #expect(after.headerFields[.authorization] == "private")
    }

    @Test(arguments: [307, 308])
    func `A consumed body is not sent again`(status: Int) throws {
        let request = try HTTPRequest(.put, url: "http://h/private")
        let error = try #require(throws: CurlError.self) {
            try Self.step(from: request, status, to: "/private/x", isBodyReplayable: false)
        }
        #expect(error.code == .redirect)
        #expect(error.message.contains("body"))
        #expect(!error.message.contains("private"))
        #expect(try Self.step(from: request, 303, to: "/x", isBodyReplayable: false) != .deliver)
    }

    static let everything: HTTPFields = {
        var fields: HTTPFields = [
            .accept: "a", .acceptLanguage: "a", .acceptEncoding: "a", .userAgent: "a", .range: "a", .ifRange: "a",
            .ifMatch: "a", .ifNoneMatch: "a", .ifModifiedSince: "a", .ifUnmodifiedSince: "a", .contentType: "a",
            .contentLanguage: "a", .contentEncoding: "a", .contentLength: "1",
            .authorization: "private", .proxyAuthorization: "private", .cookie: "private", .referer: "private",
            .origin: "private",
        ]
        let others = ["X-Api-Key", "Idempotency-Key", "baggage", "X-Anything", "Cookie2", "Forwarded"]
        for (names, value) in [(["traceparent", "tracestate"], "a"), (others, "private")] {
            for name in names.compactMap({ HTTPField.Name($0) }) { fields[name] = value }
        }
        return fields
    }()

    @Test(arguments: [
        ("http://h/", "http://o/"), ("http://h/", "//o/"), ("http://h/", "http://h:81/"), ("http://h:81/", "//h/"),
        ("http://h/", "https://h/"), ("http://h:443/", "https://h/"), ("http://h/", "http://h.evil/"),
        ("http://h/", "http://sub.h/"), ("http://h/", "http://h./"), ("https://h/", "https://h:80/"),
        ("http://127.0.0.1/", "http://localhost/"), ("http://[::1]/", "http://[::2]/"),
    ])
    func `Nothing that may be a credential goes to another origin`(from: String, to: String) throws {
        let request = try HTTPRequest(.post, url: from, headerFields: Self.everything)
        let (next, _) = try Self.followed(Self.step(from: request, 307, to: to))
        #expect(Self.everything.count == 27)
        #expect(next.headerFields.count == 16)
        #expect(!next.headerFields.contains { $0.value == "private" })
    }

    @Test(arguments: [
        ("http://h/", "/x"), ("http://h/", "http://H:80/x"), ("https://h/", "https://h:443/x"), ("http://h:/", "//h/x"),
        ("http://h:8080/", "?x"), ("http://[::1]/", "//[::1]:80/x"),
    ])
    func `All headers are kept for the same origin`(from: String, to: String) throws {
        var request = try HTTPRequest(.post, url: from, headerFields: Self.everything)
        request.headerFields[try #require(HTTPField.Name("Host"))] = request.authority
        let (next, _) = try Self.followed(Self.step(from: request, 307, to: to))
        #expect(next.headerFields == Self.everything)
    }

    @Test func `A removed credential stays removed, also back at the first host`() throws {
        let first = try HTTPRequest(.get, url: "http://h/", headerFields: Self.everything)
        let (second, _) = try Self.followed(Self.step(from: first, to: "http://o/"))
        let (third, _) = try Self.followed(Self.step(from: second, to: "http://h/x", earlier: [first]))
        #expect(!third.headerFields.contains { $0.value == "private" })
    }

    @Test(arguments: ["http://h/", "http://o/x?private", "HTTP://h", "http://h:443/"])
    func `A redirect from https to http is never followed`(location: String) throws {
        let request = try HTTPRequest(.get, url: "https://h/private")
        let error = try #require(throws: CurlError.self) { try Self.step(from: request, to: location) }
        #expect(error.code == .redirect)
        #expect(!error.message.contains("private"))
    }

    @Test(arguments: [
        ("http://h/private", "private"), ("http://h/private", "http://H:80/private#x"), ("http://h/private", ""),
        ("http://h/private", "#x"), ("http://h/a?private", "?private"),
    ])
    func `The same request again is a loop`(url: String, location: String) throws {
        let request = try HTTPRequest(.get, url: url)
        let error = try #require(throws: CurlError.self) { try Self.step(from: request, to: location) }
        #expect(error.code == .redirect)
        #expect(error.message.contains("loop"))
        #expect(!error.message.contains("private"))
    }

    @Test func `A loop over several hops is detected, and another method is not a loop`() throws {
        let earlier = try ["http://h/a", "http://o/b", "http://h/c"].map { try HTTPRequest(.get, url: $0) }
        let request = try HTTPRequest(.post, url: "http://h/d")
        let error = try #require(throws: CurlError.self) {
            try Self.step(from: request, 303, to: "//o/b", earlier: earlier)
        }
        #expect(error.message.contains("loop"))
        #expect(error.message.contains("o"))
        #expect(try Self.step(from: request, 307, to: "//o/b", earlier: earlier) != .deliver)
        #expect(try Self.step(from: request, 303, to: "", earlier: earlier) != .deliver)
    }

    @Test(arguments: [(0, 0), (1, 1), (3, 3), (-1, 0)])
    func `No more are followed than allowed`(limit: Int, allowed: Int) throws {
        let hops = try (0...allowed).map { try HTTPRequest(.get, url: "http://h/private\($0)") }
        for count in 0..<allowed {
            let earlier = Array(hops[..<count])
            #expect(try Self.step(.followed(upTo: limit), from: hops[count], to: "/x", earlier: earlier) != .deliver)
        }
        let error = try #require(throws: CurlError.self) {
            let earlier = Array(hops.dropLast())
            return try Self.step(.followed(upTo: limit), from: hops[allowed], to: "/private", earlier: earlier)
        }
        #expect(error.code == .redirect)
        #expect(error.message.contains("more than \(allowed)"))
        #expect(!error.message.contains("private"))
    }

    @Test func `With several locations none is chosen`() throws {
        var response = HTTPResponse(status: .found)
        response.headerFields[values: .location] = ["/a", "/b"]
        let request = try HTTPRequest(.get, url: "http://h/")
        let error = try #require(throws: CurlError.self) {
            try RedirectPolicy.followed().step(after: request, isBodyReplayable: true, response: response, earlier: [])
        }
        #expect(error.code == .redirect)
        response.headerFields[values: .location] = ["/a", "/a"]
        let step = try RedirectPolicy.followed()
            .step(after: request, isBodyReplayable: true, response: response, earlier: [])
        #expect(try Self.followed(step).request.path == "/a")
    }
}
#endif
