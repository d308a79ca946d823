#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)), .enabled(if: TLSServer.isAvailable))
struct CurlTLSTests {
    @Test func `An untrusted certificate is refused, and nothing was sent`() async throws {
        let server = try TLSServer()
        try await withClient { client in
            for isStream in [false, true] {
                let request = try HTTPRequest(.get, url: "https://127.0.0.1:\(server.port)/")
                let error = try await curlError {
                    if isStream { _ = try await client.stream(request) } else { _ = try await client.send(request) }
                }
                #expect(error.code == .tls)
                #expect(error.wasSent == false)
                #expect(!error.isRetryable)
            }
        }
    }

    @Test func `A certificate of a configured authority is accepted, for its own name only`() async throws {
        let server = try TLSServer()
        try await withClient(.defaults { $0.tls.authorities = .file(server.certificate) }) { client in
            let reply = try await client.send(HTTPRequest(.get, url: "https://127.0.0.1:\(server.port)/"))
            #expect(reply.head.status == .ok)
            #expect(!reply.body.isEmpty)
            let error = try await curlError {
                try await client.send(HTTPRequest(.get, url: "https://localhost:\(server.port)/"))
            }
            #expect(error.code == .tls)
        }
    }

    @Test func `A missing file of authorities is a TLS error`() async throws {
        let server = try TLSServer()
        try await withClient(.defaults { $0.tls.authorities = .file("/nowhere/authorities.pem") }) { client in
            let error = try await curlError {
                try await client.send(HTTPRequest(.get, url: "https://127.0.0.1:\(server.port)/"))
            }
            #expect(error.code == .tls)
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `A new connection resumes the session of the last, whichever handle had it`(version: String) async throws {
        // Without a cache the server knows a session by the client's ticket alone, as most do.
        let server = try TLSServer(arguments: [version, "-no_cache"])
        try await withClient(.defaults { $0.tls.authorities = .file(server.certificate) }) { client in
            let request = try HTTPRequest(.get, url: server.url)
            // The server closes each connection, and its page describes the handshake.
            let first = try await client.send(request)
            #expect(String(decoding: first.body, as: UTF8.self).contains("New, TLSv1"))
            let second = try await client.send(request)
            #expect(String(decoding: second.body, as: UTF8.self).contains("Reused, TLSv1"))
            let streamed = try await client.stream(request).body.collect(upTo: 1 << 20)
            #expect(String(decoding: streamed, as: UTF8.self).contains("Reused, TLSv1"))
        }
    }

    @Test func `Another client does not resume it`() async throws {
        let server = try TLSServer(arguments: ["-tls1_2"])
        for _ in 0..<2 {
            try await withClient(.defaults { $0.tls.authorities = .file(server.certificate) }) { client in
                let reply = try await client.send(HTTPRequest(.get, url: server.url))
                #expect(String(decoding: reply.body, as: UTF8.self).contains("New, TLSv1"))
            }
        }
    }
}
#endif
