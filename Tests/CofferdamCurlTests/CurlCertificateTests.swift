#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)), .enabled(if: TLSServer.isAvailable))
struct CurlCertificateTests {
    /// The result of a request to the server with these settings.
    static func error(from server: TLSServer, host: String = "127.0.0.1", _ tls: CurlTLS) async throws -> CurlError {
        try await withClient(.defaults { $0.tls = tls }) { client in
            let request = try HTTPRequest(
                .post,
                url: "https://\(host):\(server.port)/secret",
                headerFields: [.authorization: "Bearer secret"]
            )
            let error = try await curlError { try await client.send(request, body: .bytes(Array("secret".utf8))) }
            let streaming = try await curlError { try await client.stream(request) }
            #expect(streaming.code == error.code && streaming.wasSent == error.wasSent)
            #expect(!error.description.contains("secret"))
            #expect(!error.isRetryable)
            return error
        }
    }

    static func accepts(_ server: TLSServer, _ tls: CurlTLS) async throws {
        try await withClient(.defaults { $0.tls = tls }) { client in
            for _ in 0..<2 {
                let reply = try await client.send(HTTPRequest(.get, url: server.url))
                #expect(reply.head.status == .ok)
            }
        }
    }

    static func tls(_ authority: TestAuthority, _ change: (inout CurlTLS) throws -> Void = { _ in }) rethrows -> CurlTLS
    {
        var tls = CurlTLS()
        tls.authorities = .file(authority.certificate)
        try change(&tls)
        return tls
    }

    @Test(arguments: [TestAuthority.Validity.past, .future])
    func `An expired or not yet valid certificate is refused`(validity: TestAuthority.Validity) async throws {
        let authority = try TestAuthority()
        let server = try TLSServer(authority, authority.issue(validity: validity))
        let error = try await Self.error(from: server, Self.tls(authority))
        #expect(error.code == .tls && error.wasSent == false, "\(error)")
    }

    @Test(arguments: ["DNS:elsewhere.invalid", "IP:127.0.0.2", "DNS:127.0.0.1", "DNS:*"])
    func `A certificate for another host is refused`(host: String) async throws {
        let authority = try TestAuthority()
        let server = try TLSServer(authority, authority.issue(host: host))
        let error = try await Self.error(from: server, Self.tls(authority))
        #expect(error.code == .tls && error.wasSent == false, "\(error)")
    }

    @Test func `Authorities given as text replace the system's`() async throws {
        let (ours, others) = (try TestAuthority(), try TestAuthority())
        let server = try TLSServer(ours)
        var tls = CurlTLS()
        tls.authorities = try .pem(TextFile.read(ours.certificate))
        try await Self.accepts(server, tls)
        tls.authorities = try .pem(TextFile.read(others.certificate))
        let error = try await Self.error(from: server, tls)
        #expect(error.code == .tls && error.wasSent == false, "\(error)")
    }

    @Test(arguments: ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func `With text that holds no authority every server is refused`(text: String) async throws {
        let server = try TLSServer()
        var tls = CurlTLS()
        tls.authorities = .pem(text)
        let error = try await Self.error(from: server, tls)
        #expect(error.code == .tls && error.wasSent == false, "\(error)")
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `A server that requires a certificate gets ours, with or without a password`(version: String) async throws {
        let authority = try TestAuthority()
        let demands = [version, "-Verify", "1", "-verify_return_error", "-CAfile", authority.certificate]
        let server = try TLSServer(authority, authority.issue(), arguments: demands)
        let plain = try authority.issue("client", host: "DNS:client")
        let protected = try authority.protect(plain, password: "secret password")
        func with(_ identity: TestAuthority.Identity?, _ password: String? = nil) -> CurlTLS {
            Self.tls(authority) { tls in
                tls.clientCertificate = identity.map {
                    .init(certificateFile: $0.certificate, keyFile: $0.key, keyPassword: password)
                }
            }
        }
        try await Self.accepts(server, with(plain))
        try await Self.accepts(server, with(protected, "secret password"))

        for tls in [with(protected, "secret mistake"), with(.init(certificate: "/nowhere", key: "/nowhere"))] {
            let error = try await Self.error(from: server, tls)
            #expect(error.code == .tls && error.wasSent == false, "\(error)")
        }
        let error = try await Self.error(from: server, with(nil))
        #expect(error.code == .tls, "\(error)")
        // In TLS 1.3 the server checks the client's certificate after the client has sent its request.
        #expect(error.wasSent == (version == "-tls1_3"))
    }

    @Test func `A pinned key is required in addition to a valid certificate`() async throws {
        let authority = try TestAuthority()
        let identity = try authority.issue()
        let server = try TLSServer(authority, identity)
        let right = try authority.pin(of: identity)
        let wrong = try authority.pin(of: authority.issue("other"))
        try await Self.accepts(server, Self.tls(authority) { $0.pinnedKeys = [right] })
        try await Self.accepts(server, Self.tls(authority) { $0.pinnedKeys = [wrong, right] })
        let pinned = try await Self.error(from: server, Self.tls(authority) { $0.pinnedKeys = [wrong] })
        #expect(pinned.code == .tls && pinned.wasSent == false, "\(pinned)")
        var unknown = CurlTLS()
        unknown.pinnedKeys = [right]
        let error = try await Self.error(from: server, unknown)
        #expect(error.code == .tls && error.wasSent == false, "\(error)")
    }

    @Test func `A server below the minimum TLS version is refused`() async throws {
        let authority = try TestAuthority()
        let old = try TLSServer(authority, authority.issue("old"), arguments: ["-tls1_2"])
        let new = try TLSServer(authority, authority.issue("new"), arguments: ["-tls1_3"])
        try await Self.accepts(old, Self.tls(authority))
        try await Self.accepts(new, Self.tls(authority) { $0.minimumVersion = .tls13 })
        let error = try await Self.error(from: old, Self.tls(authority) { $0.minimumVersion = .tls13 })
        #expect(error.code == .tls && error.wasSent == false, "\(error)")
    }

    @Test func `A forged certificate is accepted only if configured`() async throws {
        let authority = try TestAuthority()
        let identity = try authority.issue(host: "DNS:elsewhere.invalid", validity: .past)
        let server = try TLSServer(authority, identity)
        var tls = CurlTLS()
        tls.acceptsForgedCertificates = true
        try await Self.accepts(server, tls)
        // A pinned key still counts.
        tls.pinnedKeys = [try authority.pin(of: authority.issue("other"))]
        let error = try await Self.error(from: server, tls)
        #expect(error.code == .tls && error.wasSent == false, "\(error)")
    }

    @Test func `A handshake that stalls is a connect time-out, and one that breaks off is a connection failure`()
        async throws
    {
        let server = try ScriptedServer(connection: { connection in
            // The greeting has arrived; the client's port decides.
            guard connection.read() != nil else { return }
            connection.waitForClientToClose()
        })
        let broken = try ScriptedServer(connection: { connection in
            _ = connection.read()
            connection.end()
        })
        let short = CurlOptions().with { $0.timeouts.connect = .milliseconds(100) }
        try await withClient { client in
            let stalled = try await curlError {
                try await client.send(HTTPRequest(.get, url: "https://127.0.0.1:\(server.port)/"), options: short)
            }
            #expect(stalled.timeout == .connect && stalled.wasSent == false, "\(stalled)")
            let lost = try await curlError {
                try await client.send(HTTPRequest(.get, url: "https://127.0.0.1:\(broken.port)/"))
            }
            #expect([.tls, .connect].contains(lost.code) && lost.wasSent == false, "\(lost)")
        }
        await server.until { $0.closedByClient == 1 }
    }
}
#endif
