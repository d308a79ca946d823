#if Fleet
import CofferdamCurl
import Foundation
import Subprocess
import Testing
import UpgradeTestSupport

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A certificate authority for one test, made by `openssl`, that no other program trusts. Its files are deleted with
/// it.
final class TestAuthority: Sendable {
    /// A certificate signed by the authority, as PEM files.
    struct Identity: Sendable {
        let certificate: String
        let key: String
        let authority: String
    }

    private static let openSSL = "/usr/bin/openssl"
    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: openSSL) }

    private let folder: TemporaryFolder
    private let own: Identity

    init() async throws {
        folder = try TemporaryFolder()
        own = Identity("authority", in: folder.path, authority: "authority")
        // The system's settings may add extensions that these certificates must not have.
        try Data("[req]\ndistinguished_name = name\n[name]\n".utf8).write(to: URL(filePath: folder.path + "/settings"))
        try await Self.make(own, ["-addext", "basicConstraints=critical,CA:TRUE"], in: folder.path)
    }

    /// - Parameter name: unique within this authority.
    func issue(_ name: String) async throws -> Identity {
        let identity = Identity(name, in: folder.path, authority: "authority")
        try await Self.make(
            identity,
            ["-CA", own.certificate, "-CAkey", own.key, "-addext", "subjectAltName=IP:127.0.0.1"],
            in: folder.path
        )
        return identity
    }

    /// The configuration of a client that trusts only this authority.
    ///
    /// - Parameter hasCertificate: whether it presents a client certificate.
    func clientConfiguration(hasCertificate: Bool = true) async throws -> CurlConfiguration {
        let identity = try await hasCertificate ? issue("client") : nil
        return .defaults { [own] in
            $0.tls.authorities = .file(own.certificate)
            $0.tls.clientCertificate = identity.map { .init(certificateFile: $0.certificate, keyFile: $0.key) }
        }
    }

    private static func make(_ identity: Identity, _ arguments: [String], in folder: String) async throws {
        let arguments =
            ["req", "-x509", "-config", "\(folder)/settings", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
            + ["-nodes", "-days", "2", "-subj", "/CN=\(URL(filePath: identity.key).lastPathComponent)"]
            + ["-keyout", identity.key, "-out", identity.certificate] + arguments
        let result = try await Subprocess.run(
            .path(FilePath(openSSL)),
            arguments: Arguments(arguments),
            output: .discarded
        )
        try #require(result.terminationStatus.isSuccess, "openssl \(arguments)")
    }
}

extension TestAuthority.Identity {
    fileprivate init(_ name: String, in folder: String, authority: String) {
        self.init(
            certificate: "\(folder)/\(name).pem",
            key: "\(folder)/\(name).key",
            authority: "\(folder)/\(authority).pem"
        )
    }
}
#endif
