#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

/// Redirects over real connections: what arrives at the other server.
@Suite(.timeLimit(.minutes(5)))
struct RedirectCredentialTests {
    @Test(arguments: [301, 302, 303, 307, 308])
    func `A credential does not arrive at another port`(status: Int) async throws {
        let other = try ScriptedServer { connection, _ in connection.reply([]) }
        let first = try ScriptedServer { [url = other.url] connection, request in
            let location = request.head.hasPrefix("GET /start") ? "/next" : "\(url)/end"
            connection.send(
                Array("HTTP/1.1 \(status) X\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n".utf8)
            )
        }
        var fields: HTTPFields = [.authorization: "private", .cookie: "private", .accept: "text/plain"]
        fields[try #require(HTTPField.Name("X-Api-Key"))] = "private"
        let request = try HTTPRequest(.get, url: "\(first.url)/start", headerFields: fields)
        try await withClient(.defaults { $0.options.redirects = .followed() }) { client in
            let reply = try await client.send(request)
            #expect(reply.head.status == .ok)
        }
        #expect(first.log.requests.map { $0.head.contains("private") } == [true, true])
        let arrived = try #require(other.log.requests.first?.head)
        #expect(arrived.hasPrefix("GET /end HTTP/1.1\r\n"))
        #expect(arrived.contains("text/plain"))
        #expect(arrived.contains("\(other.port)"))
        #expect(!arrived.contains("private"))
    }

    @Test func `An endless chain is abandoned`() async throws {
        let server = try ScriptedServer { connection, request in
            let path = request.head.split(separator: " ").dropFirst().first ?? "/"
            connection.send(Array("HTTP/1.1 302 X\r\nLocation: \(path)x\r\nContent-Length: 0\r\n\r\n".utf8))
        }
        let request = try HTTPRequest(.get, url: server.url)
        try await withClient(.defaults { $0.options.redirects = .followed(upTo: 5) }) { client in
            let error = try await curlError { try await client.send(request) }
            #expect(error.code == .redirect)
        }
        #expect(server.log.requests.count == 6)
    }
}
#endif
