#if Fleet
package import CofferdamCurl  // its TLS settings
public import CofferdamUpgrade  // its error

/// A tool's access to etcd, configured like `etcdctl`: by addresses and environment variables.
///
/// `ETCDCTL_USER` is a user, or `user:password`. `ETCDCTL_PASSWORD` is the password if `ETCDCTL_USER` has none.
/// `ETCDCTL_CACERT` is a PEM file with the authorities for etcd's certificate, which replace the system's.
/// `ETCDCTL_CERT` and `ETCDCTL_KEY` are the PEM files of the client certificate. An empty variable counts as unset.
public struct EtcdAccess: Sendable {
    package var endpoints: [String]
    package var credentials: EtcdCredentials?
    package var tls: CurlTLS

    /// - Parameter addresses: "https://10.0.0.7:2379"; separate several by commas.
    /// - Throws: `UpgradeStoreError` with `unavailable`, which names the address by its position, or the variable.
    public init(_ addresses: String, environment: [String: String] = [:]) throws(UpgradeStoreError) {
        var endpoints: [String] = []
        for address in addresses.split(separator: ",", omittingEmptySubsequences: false) {
            endpoints.append(try ServerAddress.checked(address, of: "etcd's address \(endpoints.count + 1)"))
        }
        self.endpoints = endpoints
        let variables = AccessVariables("ETCDCTL", of: environment)
        credentials = try Self.credentials(variables)
        tls = try variables.tls()
    }

    /// - Parameter prefix: the prefix of all keys, different for each app: "/apps/shop".
    public func store(prefix: String) -> EtcdUpgradeStore {
        EtcdUpgradeStore(
            EtcdConfiguration(endpoints: endpoints, prefix: prefix, credentials: credentials),
            client: CurlClient(configuration: .defaults { $0.tls = tls })
        )
    }

    private static func credentials(_ variables: AccessVariables) throws(UpgradeStoreError) -> EtcdCredentials? {
        guard let user = variables["USER"] else { return nil }
        if let password = variables["PASSWORD"] { return EtcdCredentials(user: user, password: password) }
        guard let colon = user.firstIndex(of: ":") else {
            throw variables.failure("USER", "there is no password here or in \(variables.name("PASSWORD"))")
        }
        return EtcdCredentials(user: String(user[..<colon]), password: String(user[user.index(after: colon)...]))
    }
}
#endif
