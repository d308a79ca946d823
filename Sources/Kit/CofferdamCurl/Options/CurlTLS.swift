/// How the server is authenticated, and the client where the server asks for it.
public struct CurlTLS: Sendable {
    /// The certificate authorities that are trusted.
    public enum Authorities: Sendable, Hashable {
        case system
        /// A PEM file that replaces the system's authorities.
        case file(String)
        /// PEM text that replaces the system's authorities.
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
    /// The SHA-256 digests of accepted public keys, in base64 (RFC 7469, section 2.4): the server must have one of them
    /// as well as a valid certificate. Empty to accept any key.
    public var pinnedKeys: [String] = []
    public var minimumVersion = Version.tls12
    /// Disables the check of the server's certificate, so that anyone on the network path can read and change the
    /// traffic. For a test server, never for a release.
    public var acceptsForgedCertificates = false
    /// Lets libcurl write the connections' keys to the file that `SSLKEYLOGFILE` named in the environment when libcurl
    /// was initialised: recorded traffic can then be decrypted. For debugging, never for a release. Without this
    /// setting the file may be created, but stays empty. This applies where libcurl is built on OpenSSL or a library
    /// with its interface; any other library follows the environment alone.
    public var logsKeys = false

    public init() {}
}

/// A proxy server. Its password appears in no error.
public struct CurlProxy: Sendable {
    public enum Scheme: String, Sendable, Hashable {
        case http, https
        /// SOCKS 5; the proxy resolves host names.
        case socks5 = "socks5h"
    }

    public var scheme: Scheme
    public var host: String
    public var port: Int
    public var user: String?
    public var password: String?
    /// Hosts, with their subdomains, that are reached without the proxy.
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
