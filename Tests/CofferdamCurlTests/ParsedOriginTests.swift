#if Curl
import CLibcurl
import HTTPTypes
import Testing

@testable import CofferdamCurl

@Suite(.timeLimit(.minutes(5)))
struct ParsedOriginTests {
    @Test func `A handle goes from one server to another and back, and each gets its own target`() async throws {
        let first = try ScriptedServer { connection, request in connection.reply(Array("1".utf8) + request.body) }
        let second = try ScriptedServer { connection, request in connection.reply(Array("2".utf8) + request.body) }
        // libcurl reads this host as 127.0.0.1, but only from a whole URL.
        let whole = "http://127.0.0.%31:\(first.port)"
        let targets = ["/", "/a%2Fb%2fc?x=%C3%A9&y", "/?", "//d/../e;f", "/"]
        var bodies: [String] = []
        try await withClient { client in
            for target in targets {
                for (index, origin) in [first.url, first.url, second.url, whole, whole, second.url].enumerated() {
                    let body = CurlRequestBody.bytes(Array("\(index)".utf8))
                    let request = HTTPRequest(
                        method: .post,
                        scheme: "http",
                        authority: String(origin.dropFirst("http://".count)),
                        path: target
                    )
                    bodies.append(String(decoding: try await client.send(request, body: body).body, as: UTF8.self))
                }
                let refused = HTTPRequest(method: .get, scheme: "http", authority: "h:99999", path: target)
                #expect(try await curlError { try await client.send(refused) }.code == .invalidRequest)
            }
            #expect(await client.census().idleHandles == 1)
        }
        #expect(bodies == targets.flatMap { _ in ["10", "11", "22", "13", "14", "25"] })
        for (server, count) in [(first, 4), (second, 2)] {
            let lines = server.log.requests.map { String($0.head.prefix { $0 != "\r\n" }) }
            #expect(lines == targets.flatMap { Array(repeating: "POST \($0) HTTP/1.1", count: count) })
        }
    }

    @Test(arguments: [
        ("http://h", true), ("https://[::1]:8443", true), ("http://[fe80::1%251]", false), ("http://h:99999", false),
    ])
    func `libcurl needs a whole URL if the address has a zone or is not valid`(origin: String, isKept: Bool) throws {
        let raw = try #require(curl_easy_init())
        defer { curl_easy_cleanup(raw) }
        var options = EasyOptions(raw)
        let parsed = ParsedOrigin()
        var bytes = Array(origin.utf8)
        for _ in 0..<2 { #expect(bytes.withUnsafeMutableBytes { parsed.use($0[...], &options) } == isKept) }
        #expect(options.isComplete)
        options.set(CURLOPT_CURLU, pointer: nil)
    }
}
#endif
