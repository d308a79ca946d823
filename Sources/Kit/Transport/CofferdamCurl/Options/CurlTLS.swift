#if Curl
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

    /// A version of TLS that a client can require.
    public enum Version: Sendable, Hashable { case tls12, tls13 }

    /// The client's own certificate and key, as PEM files.
    public struct Certificate: Sendable {
        /// The path of the certificate, in PEM.
        var certificateFile: String
        /// The path of the private key, in PEM.
        var keyFile: String
        /// The password of an encrypted key; nil for an unencrypted key.
        var keyPassword: String?

        /// The password of an encrypted key; nil for an unencrypted key.
        public init(certificateFile: String, keyFile: String, keyPassword: String? = nil) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
            self.keyPassword = keyPassword
        }
    }

    /// The authorities that may have issued the server's certificate.
    public var authorities = Authorities.system
    /// The certificate that authenticates the client to each server that asks for one; nil for none. With it, redirects
    /// to another origin are refused.
    public var clientCertificate: Certificate?
    /// The SHA-256 digests of accepted public keys, in base64 (RFC 7469, section 2.4): the server must have one of them
    /// as well as a valid certificate. Empty to accept any key.
    public var pinnedKeys: [String] = []
    /// The oldest version to accept.
    public var minimumVersion = Version.tls12
    /// Disables the check of the server's certificate, so that anyone on the network path can read and change the
    /// traffic. For a test server, never for a release.
    public var acceptsForgedCertificates = false
    /// Lets libcurl write the connections' keys to the file that `SSLKEYLOGFILE` named in the environment when libcurl
    /// was initialised: recorded traffic can then be decrypted. For debugging, never for a release. Without this
    /// setting the file may be created, but stays empty. This applies where libcurl is built on OpenSSL or a library
    /// with its interface; any other library follows the environment alone.
    public var logsKeys = false

    /// Creates settings that trust the system's authorities.
    public init() {}
}

/// A proxy server. Its password appears in no error.
public struct CurlProxy: Sendable {
    /// The protocol spoken to the proxy.
    public enum Scheme: String, Sendable, Hashable {
        case http, https
        /// SOCKS 5; the proxy resolves host names.
        case socks5 = "socks5h"
    }

    /// The protocol spoken to the proxy.
    public var scheme: Scheme
    /// The proxy's name or address.
    var host: String
    /// The proxy's port.
    var port: Int
    /// The user for the proxy; nil for no authentication.
    var user: String?
    /// The password for the proxy.
    var password: String?
    /// Hosts, with their subdomains, that are reached without the proxy.
    var exceptions: [String]

    /// Describes a proxy for all hosts but the exceptions.
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
#endif
