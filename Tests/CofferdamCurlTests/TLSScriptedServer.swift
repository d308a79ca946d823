#if Curl
import CofferdamCurl

/// A script behind TLS, with a certificate for 127.0.0.1.
final class TLSScriptedServer: Sendable {
    let authority: TestAuthority
    private let server: ScriptedServer

    var port: UInt16 { server.port }
    var url: String { server.url }
    var log: ScriptedServer.Log { server.log }

    var configuration: CurlConfiguration { .defaults { $0.tls.authorities = .file(authority.certificate) } }

    init(
        _ version: TLSContext.Version? = nil,
        alpn: [String] = [],
        connection body: @escaping @Sendable (ServerConnection) -> Void
    ) throws {
        authority = try TestAuthority()
        server = try ScriptedServer(
            tls: TLSContext(authority.issue(), alpn: alpn, only: version),
            connection: body
        )
    }
}
#endif
