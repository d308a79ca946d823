#if Fleet
package import CofferdamCurl  // its TLS settings
public import CofferdamDevice  // its client
public import CofferdamUpgrade  // its error

/// An app's access to a `cofferdam-server`, by its address and environment variables. Its description does not contain
/// the token.
///
/// `COFFERDAM_SERVER_TOKEN` is the token. `COFFERDAM_SERVER_TOKEN_FILE` names a file that holds it instead; a trailing
/// newline is ignored. `COFFERDAM_SERVER_CACERT` is a PEM file with the authorities for the server's certificate, which
/// replace the system's. `COFFERDAM_SERVER_CERT` and `COFFERDAM_SERVER_KEY` are the PEM files of a client certificate.
/// An empty variable counts as unset.
public struct ServerAccess: Sendable, CustomStringConvertible, CustomReflectable {
    /// The name of the variable that holds the address, for an app that reads it from its environment.
    public static let variable = "COFFERDAM_SERVER"

    /// The address: "https://upgrades.example.com".
    public let address: String
    package let token: String
    package let tls: CurlTLS

    /// Creates an access to the server whose address is in `COFFERDAM_SERVER`.
    ///
    /// - Throws: `UpgradeStoreError` with `unavailable`, which names the variable, never its value.
    public init(environment: [String: String]) throws(UpgradeStoreError) {
        guard let address = environment[Self.variable], !address.isEmpty else {
            throw UpgradeStoreError(.unavailable, "there is no server address", subject: Self.variable)
        }
        try self.init(address, environment: environment)
    }

    /// - Parameter address: "https://upgrades.example.com".
    /// - Throws: `UpgradeStoreError` with `unavailable`, which names the variable, never its value.
    public init(_ address: String, environment: [String: String]) throws(UpgradeStoreError) {
        self.address = try ServerAddress.checked(address, of: Self.variable)
        let variables = AccessVariables(Self.variable, of: environment)
        guard let token = try variables.secret("TOKEN") else {
            throw variables.failure("TOKEN", "there is no token here or in a file")
        }
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw variables.failure("TOKEN", "a token must have no space, line end or non-ASCII character")
        }
        self.token = token
        tls = try variables.tls()
    }

    /// The address, without the token.
    public var description: String { address }
    /// Shows the address and hides the token.
    public var customMirror: Mirror { Mirror(self, children: ["address": address]) }

    /// - Parameter timeout: for one request. While the server does not answer, an app's start takes that long.
    public func server(timeout: Duration = .seconds(10)) -> UpgradeServer {
        var server = UpgradeServer(
            address,
            token: token,
            transport: .curl(CurlClient(configuration: .defaults { $0.tls = tls }))
        )
        server.timeout = timeout
        return server
    }
}
#endif
