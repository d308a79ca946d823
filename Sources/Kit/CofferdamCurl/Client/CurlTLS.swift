/// How a server proves who it is, and the client, where that is asked for.
public struct CurlTLS: Sendable {
    /// Who vouches for servers.
    public enum Authorities: Sendable, Hashable {
        case system
        /// A PEM file, in place of the system's.
        case file(String)
        /// PEM text, in place of the system's.
        case pem(String)
    }

    public enum Version: Sendable, Hashable { case tls12, tls13 }

    /// The client's own certificate and key, as PEM files.
    public struct Certificate: Sendable {
        public var certificateFile: String
        public var keyFile: String
        public var keyPassword: String?

        public init(certificateFile: String, keyFile: String, keyPassword: String? = nil) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
            self.keyPassword = keyPassword
        }
    }

    public var authorities = Authorities.system
    public var clientCertificate: Certificate?
    /// The base64 of the SHA-256 of public keys (RFC 7469, section 2.4): the server must have one of them, beside a good
    /// certificate. Empty for any.
    public var pinnedKeys: [String] = []
    public var minimumVersion = Version.tls12
    /// Lets anybody between here and the server read and change everything. For a test's server, never for a release.
    public var acceptsForgedCertificates = false
    /// Lets libcurl write the keys of the connections to the file that `SSLKEYLOGFILE` named in the environment when libcurl
    /// was initialised: with it, recorded traffic can be read. For debugging, never for a release. Without it
    /// that file may be made, and stays empty. Decided here where libcurl has OpenSSL or a library with its interface; any
    /// other obeys the environment alone.
    public var logsKeys = false

    public init() {}
}

/// A server that connects on the client's behalf. Its password appears in no error.
public struct CurlProxy: Sendable {
    public enum Scheme: String, Sendable, Hashable {
        case http, https
        /// SOCKS 5; the proxy resolves the names.
        case socks5 = "socks5h"
    }

    public var scheme: Scheme
    public var host: String
    public var port: Int
    public var user: String?
    public var password: String?
    /// Hosts that are reached without it, each with its subdomains.
    public var exceptions: [String]

    public init(
        _ scheme: Scheme = .http,
        host: String,
        port: Int,
        user: String? = nil,
        password: String? = nil,
        exceptions: [String] = []
    ) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.user = user
        self.password = password
        self.exceptions = exceptions
    }
}
