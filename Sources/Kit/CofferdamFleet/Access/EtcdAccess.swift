package import CofferdamCurl  // says how TLS is spoken
public import CofferdamUpgrade  // its error

/// How a tool reaches etcd, configured like `etcdctl`: by addresses and environment variables.
///
/// `ETCDCTL_USER` is a user, or `user:password`. `ETCDCTL_PASSWORD` is the password if the former has none.
/// `ETCDCTL_CACERT` is the PEM file of the authority for the certificate of etcd, instead of those of the system.
/// `ETCDCTL_CERT` and `ETCDCTL_KEY` are the PEM files of the client certificate. An empty variable counts as not set.
public struct EtcdAccess: Sendable {
    package var endpoints: [String]
    package var credentials: EtcdCredentials?
    package var tls: CurlTLS

    /// - Parameter addresses: "https://10.0.0.7:2379", several with commas between them.
    /// - Throws: `UpgradeStoreError` with `unavailable`, naming the address by its place, or the variable.
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

    /// - Parameter prefix: what every key begins with, for each app another one: "/apps/shop".
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
            throw variables.failure("USER", "there is no password, neither here nor in \(variables.name("PASSWORD"))")
        }
        return EtcdCredentials(user: String(user[..<colon]), password: String(user[user.index(after: colon)...]))
    }
}
