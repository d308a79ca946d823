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

    /// The certificate's files are not read, because the servers speak no TLS.
    @Test(arguments: ["send", "stream", "download"])
    func `A client with a certificate follows no redirect to another origin`(call: String) async throws {
        let other = try ScriptedServer { connection, _ in connection.reply([]) }
        let first = try ScriptedServer { [url = other.url] connection, request in
            guard request.path != "/end" else { return connection.reply([]) }
            let location = request.path == "/same" ? "/end" : "\(url)/end"
            connection.send("HTTP/1.1 302 X\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
        }
        let folder = try TestFolder()
        let configuration = CurlConfiguration.defaults {
            $0.options.redirects = .followed()
            $0.tls.clientCertificate = .init(certificateFile: "/nowhere", keyFile: "/nowhere")
        }
        try await withClient(configuration) { client in
            func head(of path: String) async throws -> HTTPResponse {
                let request = try HTTPRequest(.get, url: "\(first.url)\(path)")
                return switch call {
                case "send": try await client.send(request).head
                case "stream": try await client.stream(request).head
                default: try await client.download(request, to: "\(folder.path)/file").head
                }
            }
            #expect(try await head(of: "/same").status == .ok)
            let error = try await curlError { try await head(of: "/other") }
            #expect(error.code == .redirect, "\(error)")
        }
        #expect(first.log.requests.map(\.path) == ["/same", "/end", "/other"])
        #expect(other.log.accepted == 0)
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
