#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Neither the process's environment nor what servers leave behind affects a request.
@Suite(.timeLimit(.minutes(5)))
struct CurlEnvironmentTests {
    // In separate processes: all threads share the environment.

    @Test(arguments: [
        ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"], ["https_proxy", "HTTPS_PROXY"],
    ])
    func `The environment's proxies are not used`(names: [String]) async throws {
        await #expect(processExitsWith: .success) { [names] in
            for name in names { setEnvironment(name, "http://127.0.0.1:9") }
            let server = try ScriptedServer { connection, _ in connection.reply([]) }
            try await withClient { client in
                let reply = try await client.send(HTTPRequest(.get, url: server.url))
                #expect(reply.head.status == .ok)
            }
        }
    }

    @Test func `The environment's exceptions do not bypass the configured proxy`() async throws {
        await #expect(processExitsWith: .success) {
            for name in ["no_proxy", "NO_PROXY"] { setEnvironment(name, "*") }
            let proxy = try ScriptedServer { connection, _ in connection.reply(Array("proxy".utf8)) }
            let server = try ScriptedServer { connection, _ in connection.reply(Array("origin".utf8)) }
            let port = Int(proxy.port)
            try await withClient(.defaults { $0.proxy = CurlProxy(host: "127.0.0.1", port: port) }) { client in
                let reply = try await client.send(HTTPRequest(.get, url: server.url))
                #expect(Array(reply.body) == Array("proxy".utf8))
            }
        }
    }

    @Test func `No netrc file in the home directory is read`() async throws {
        await #expect(processExitsWith: .success) {
            let home = try TestFolder()
            try home.write("machine 127.0.0.1 login secret password secret\ndefault login a password b\n", to: ".netrc")
            setEnvironment("HOME", home.path)
            setEnvironment("NETRC", "\(home.path)/.netrc")
            let server = try ScriptedServer { connection, _ in
                connection.send("HTTP/1.1 401 Who\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n")
            }
            try await withClient { client in
                let reply = try await client.send(HTTPRequest(.get, url: server.url))
                #expect(reply.head.status == .unauthorized)
            }
            #expect(server.log.requests.count == 1)
            for request in server.log.requests { #expect(!request.head.contains("Authorization")) }
        }
    }

    @Test func `No curlrc file in the home directory is read`() async throws {
        await #expect(processExitsWith: .success) {
            let home = try TestFolder()
            try home.write("header = \"X-Secret: secret\"\nproxy = \"http://127.0.0.1:9\"\n", to: ".curlrc")
            setEnvironment("HOME", home.path)
            let server = try ScriptedServer { connection, _ in connection.reply([]) }
            try await withClient { client in _ = try await client.send(HTTPRequest(.get, url: server.url)) }
            #expect(server.log.requests.first?.head.contains("X-Secret") == false)
        }
    }

    #if os(Linux)
    @Test(.enabled(if: OpenSSL.isAvailable), arguments: [false, true])
    func `TLS keys are logged only if configured`(logsKeys: Bool)
        async throws
    {
        await #expect(processExitsWith: .success) { [logsKeys] in
            let folder = try TestFolder()
            setEnvironment("SSLKEYLOGFILE", "\(folder.path)/keys")
            for version in ["-tls1_2", "-tls1_3"] {
                let server = try TLSServer(arguments: [version])
                var configuration = CurlConfiguration.defaults { $0.tls.authorities = .file(server.certificate) }
                // Each client's setting affects itself only.
                for isLogged in [false, logsKeys] {
                    configuration.tls.logsKeys = isLogged
                    try await withClient(configuration) { client in
                        let reply = try await client.send(HTTPRequest(.get, url: server.url))
                        #expect(reply.head.status == .ok)
                    }
                    let keys = try folder.read("keys")
                    #expect(keys.isEmpty == !isLogged)
                    if isLogged { try folder.write("", to: "keys") }
                }
            }
        }
    }
    #endif

    @Test func `Cookies are not kept`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nSet-Cookie: secret=1; Path=/\r\nContent-Length: 0\r\n\r\n")
        }
        try await withClient { client in
            for _ in 0..<3 {
                let reply = try await client.send(HTTPRequest(.get, url: server.url))
                #expect(reply.head.headerFields[.setCookie] == "secret=1; Path=/")
            }
        }
        for request in server.log.requests { #expect(!request.head.contains("Cookie")) }
    }

    @Test func `Strict transport and other services of a server are not kept`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send(
                "HTTP/1.1 200 OK\r\nStrict-Transport-Security: max-age=99\r\nAlt-Svc: h2=\":9\"\r\nContent-Length: 0\r\n\r\n"
            )
        }
        try await withClient { client in
            for _ in 0..<3 { _ = try await client.send(HTTPRequest(.get, url: server.url)) }
        }
        #expect(server.log.requests.count == 3)
    }

    @Test func `A Unix socket's path may be as long as the system allows`() async throws {
        let folder = try TestFolder()
        var address = sockaddr_un()
        let maximum = withUnsafeBytes(of: &address.sun_path) { $0.count - 1 }
        let path = "\(folder.path)/" + String(repeating: "s", count: maximum - folder.path.utf8.count - 1)
        let server = try ScriptedServer(unixSocket: path) { $0.serve { connection, _ in connection.reply([1]) } }
        let request = try HTTPRequest(.get, url: "http://origin.invalid/")
        try await withClient(.defaults { $0.unixSocket = path }) { client in
            let reply = try await client.send(request)
            #expect(reply.body == [1])
        }
        #expect(server.log.accepted == 1)
        try await withClient(.defaults { $0.unixSocket = path + "s" }) { client in
            let error = try await curlError { try await client.send(request) }
            #expect(error.code == .invalidRequest)
        }
    }

    @Test func `A Unix socket replaces the connection to the URL's host, which is still named`() async throws {
        let folder = try TestFolder()
        let path = "\(folder.path)/socket"
        let server = try ScriptedServer(unixSocket: path) { connection in
            connection.serve { connection, request in connection.reply(Array(request.path.utf8)) }
        }
        try await withClient(.defaults { $0.unixSocket = path }) { client in
            for _ in 0..<3 {
                let reply = try await client.send(HTTPRequest(.get, url: "http://origin.invalid/path"))
                #expect(Array(reply.body) == Array("/path".utf8))
            }
        }
        #expect(server.log.accepted == 1)
        #expect(server.log.requests.first?.head.contains("Host: origin.invalid\r\n") == true)
        try await withClient(.defaults { $0.unixSocket = "\(folder.path)/nobody" }) { client in
            let error = try await curlError { try await client.send(HTTPRequest(.get, url: "http://origin.invalid/")) }
            #expect(error.code == .connect && error.wasSent == false, "\(error)")
        }
    }
}
#endif
