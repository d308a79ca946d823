#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

struct RequestOriginTests {
    @Test(arguments: [
        ("http://h/", "http", "h", 80), ("https://H/", "https", "h", 443), ("http://h:/", "http", "h", 80),
        ("http://h:80/", "http", "h", 80), ("https://h:080/", "https", "h", 80),
        ("http://h:65535/", "http", "h", 65535),
        ("http://[::1]/", "http", "::1", 80), ("http://[FE80::1]:8080/", "http", "fe80::1", 8080),
    ])
    func `A request's origin has a port, and its host in one case`(
        url: String,
        scheme: String,
        host: String,
        port: Int
    ) throws {
        let origin = try #require(RequestOrigin(HTTPRequest(.get, url: url)))
        #expect(origin.scheme == scheme)
        #expect(origin.host == host)
        #expect(origin.port == port)
        #expect(origin.authority == (host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"))
    }

    @Test(arguments: [
        "user:private@h", "h:99999", "h:-1", "h:+1", "h:1:2", "::1", "[::1", "[::1]x", "[]", ":80", "", "h/", "h h",
    ])
    func `A request that cannot be sent has no origin`(authority: String) {
        let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
        #expect(RequestOrigin(request) == nil)
    }
}
#endif
