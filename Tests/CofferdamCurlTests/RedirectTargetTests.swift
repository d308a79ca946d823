import CofferdamCurl
import HTTPTypes
import Testing

struct RedirectTargetTests {
    static let base = "http://h:8080/a/b?q=1"

    @Test(arguments: [
        // RFC 3986, section 5.4, the cases that differ.
        ("g", "http://h:8080/a/g"), ("./g", "http://h:8080/a/g"), ("g/", "http://h:8080/a/g/"),
        ("/g", "http://h:8080/g"), ("//g", "http://g/"), ("?y", "http://h:8080/a/b?y"),
        ("g?y", "http://h:8080/a/g?y"), ("#s", base), ("g#s", "http://h:8080/a/g"), ("", base),
        ("..", "http://h:8080/"), ("../g", "http://h:8080/g"), ("../../../g", "http://h:8080/g"),
        ("/./g", "http://h:8080/g"), ("/../g", "http://h:8080/g"),
        ("g?y/../x", "http://h:8080/a/g?y/../x"),
        // As servers write it.
        (" /x ", "http://h:8080/x"), ("HTTPS://O/", "https://O/"), ("http://o", "http://o/"),
        ("http://o?x", "http://o/?x"), ("http://o:/", "http://o/"), ("/x?u=http://o/", "http://h:8080/x?u=http://o/"),
        ("/a b", "http://h:8080/a%20b"), ("http://o/a b", "http://o/a%20b"), ("/é", "http://h:8080/%c3%a9"),
        ("/%2e%2e/x", "http://h:8080/%2e%2e/x"),
        ("http://[::1]:1/", "http://[::1]:1/"), ("/\\o/", "http://h:8080/\\o/"),
    ])
    func `A place is seen from the request`(location: String, expected: String) throws {
        let step = try RedirectPolicyTests.step(
            from: HTTPRequest(.post, url: Self.base),
            303,
            to: location
        )
        let next = try RedirectPolicyTests.followed(step).request
        #expect("\(next.scheme ?? "")://\(next.authority ?? "")\(next.path ?? "")" == expected)
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://private/", "gopher://h:25/_private", "javascript:private", "data:,private",
        "mailto:private@h", "x://private", "http:private", "http://u:private@h/", "//private@h/", "http://o\\@private/",
        "http://o:99999/private", "http://o:x/", "http://é/private", "http://a%2fb/private", "http://[::1/private",
        "http://o private/", "http://", "/\u{0}private", "/\u{1}private", "/private\u{7F}", "http://o\tprivate/",
        "/x\r\nprivate: y",
    ])
    func `A place that is none, or not on the web, or says more than a place, is refused`(location: String) throws {
        let error = try #require(throws: CurlError.self) {
            // Not by a header field: HTTPTypes makes spaces of some control characters, and it is to hold without.
            try RedirectTarget.resolve(location, against: HTTPRequest(.get, url: Self.base))
        }
        #expect(error.code == .redirect)
        #expect(error.wasSent == true)
        #expect(error.message.hasPrefix("h:"))
        #expect(!error.message.contains("private"))
    }
}
