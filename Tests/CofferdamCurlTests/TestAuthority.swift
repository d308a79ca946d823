#if Curl
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A certificate authority of a test, created with `openssl`, that only this test trusts. Its files are deleted with
/// it.
final class TestAuthority: Sendable {
    /// A certificate with its key, as PEM files.
    struct Identity: Sendable {
        let certificate: String
        let key: String
    }

    /// The validity of a certificate.
    enum Validity: String, Sendable {
        case now
        case past
        case future

        fileprivate var arguments: [String] {
            switch self {
            case .now: ["-days", "2"]
            case .past: ["-startdate", "20200101000000Z", "-enddate", "20210101000000Z"]
            case .future: ["-startdate", "20900101000000Z", "-enddate", "20910101000000Z"]
            }
        }
    }

    private let files: TestFolder
    private var folder: String { files.path }
    /// The authority's own certificate.
    let certificate: String

    private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

    init() throws {
        files = try TestFolder()
        let folder = files.path
        certificate = "\(folder)/authority.pem"
        try OpenSSL.run(
            ["req", "-x509"] + Self.newKey
                + ["-days", "2", "-subj", "/CN=authority", "-keyout", "\(folder)/authority.key", "-out", certificate]
        )
        let settings = """
            [ca]
            default_ca = here
            [here]
            database = \(folder)/index
            new_certs_dir = \(folder)
            rand_serial = yes
            default_md = sha256
            policy = any
            copy_extensions = copy
            unique_subject = no
            [any]
            commonName = supplied
            """
        try files.write(settings, to: "settings")
        try files.write("", to: "index")
    }

    /// - Parameter host: the value of `subjectAltName`.
    func issue(_ name: String = "server", host: String = "IP:127.0.0.1", validity: Validity = .now) throws -> Identity {
        let identity = Identity(certificate: "\(folder)/\(name).pem", key: "\(folder)/\(name).key")
        let request = "\(folder)/\(name).csr"
        try OpenSSL.run(
            ["req"] + Self.newKey
                + [
                    "-subj", "/CN=\(name)", "-addext", "subjectAltName=\(host)", "-keyout", identity.key, "-out",
                    request,
                ]
        )
        try OpenSSL.run(
            ["ca", "-batch", "-config", "\(folder)/settings", "-cert", certificate]
                + ["-keyfile", "\(folder)/authority.key", "-in", request, "-out", identity.certificate, "-notext"]
                + validity.arguments
        )
        return identity
    }

    /// The same key, encrypted with a password.
    func protect(_ identity: Identity, password: String) throws -> Identity {
        let key = "\(identity.key).protected"
        try OpenSSL.run(["ec", "-in", identity.key, "-aes256", "-passout", "pass:\(password)", "-out", key])
        return Identity(certificate: identity.certificate, key: key)
    }

    /// The pin as defined by RFC 7469.
    func pin(of identity: Identity) throws -> String {
        let (key, sum) = ("\(folder)/public.pem", "\(folder)/public.sum")
        try OpenSSL.run(["x509", "-in", identity.certificate, "-pubkey", "-noout", "-out", key])
        try OpenSSL.run(["pkey", "-pubin", "-in", key, "-outform", "der", "-out", "\(folder)/public.der"])
        try OpenSSL.run(["dgst", "-sha256", "-binary", "-out", sum, "\(folder)/public.der"])
        try OpenSSL.run(["base64", "-A", "-in", sum, "-out", "\(folder)/public.base64"])
        return try TextFile.read("\(folder)/public.base64")
    }
}

enum TextFile {
    static func read(_ path: String) throws -> String {
        guard let file = fopen(path, "r") else { throw ServerFailure(step: "fopen") }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
#endif
