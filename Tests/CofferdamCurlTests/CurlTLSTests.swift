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
}
