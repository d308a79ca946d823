public import CofferdamCurl  // says how TLS is spoken
public import CofferdamUpgrade  // its error
import HTTPTypes

/// How a tool reaches etcd, told as etcd's own `etcdctl` is: by addresses, and by variables of the environment.
///
/// `ETCDCTL_USER` is a user, or `user:password`; `ETCDCTL_PASSWORD` the password where the former has none; `ETCDCTL_CACERT` the PEM
/// file of who vouches for etcd, in place of the system's; `ETCDCTL_CERT` and `ETCDCTL_KEY` the PEM files of the client's own
/// certificate. An empty one is none.
public struct EtcdAccess: Sendable {
    public var endpoints: [String]
    public var credentials: EtcdCredentials?
    public var tls: CurlTLS

    /// - Parameter addresses: "https://10.0.0.7:2379", several with commas between them.
    /// - Throws: ``UpgradeStoreError`` with `unavailable`, naming the address by its place, or the variable.
    public init(_ addresses: String, environment: [String: String] = [:]) throws(UpgradeStoreError) {
        endpoints = try Self.endpoints(addresses)
        let variables = environment.filter { !$0.value.isEmpty }
        credentials = try Self.credentials(variables)
        tls = try Self.tls(variables)
    }

    /// - Parameter prefix: what every key begins with, for each app another one: "/apps/shop".
    public func store(prefix: String) -> EtcdUpgradeStore {
        EtcdUpgradeStore(
            EtcdConfiguration(endpoints: endpoints, prefix: prefix, credentials: credentials),
            client: CurlClient(configuration: .defaults { $0.tls = tls })
        )
    }

    private static func endpoints(_ addresses: String) throws(UpgradeStoreError) -> [String] {
        let endpoints = addresses.split(separator: ",", omittingEmptySubsequences: false).map { address in
            String(address.trimmingPrefix { $0 == " " }.reversed().trimmingPrefix { $0 == " " }.reversed())
        }
        for (place, endpoint) in endpoints.enumerated() {
            // Not repeated: somebody may have put a password there.
            do { _ = try HTTPRequest(.post, url: endpoint) } catch {
                throw UpgradeStoreError(.unavailable, error.message, subject: "etcd's address \(place + 1)")
            }
        }
        return endpoints
    }

    private static func credentials(_ variables: [String: String]) throws(UpgradeStoreError) -> EtcdCredentials? {
        guard let user = variables["ETCDCTL_USER"] else { return nil }
        if let password = variables["ETCDCTL_PASSWORD"] { return EtcdCredentials(user: user, password: password) }
        guard let colon = user.firstIndex(of: ":") else {
            throw UpgradeStoreError(
                .unavailable,
                "there is no password, neither here nor in ETCDCTL_PASSWORD",
                subject: "ETCDCTL_USER"
            )
        }
        return EtcdCredentials(user: String(user[..<colon]), password: String(user[user.index(after: colon)...]))
    }

    private static func tls(_ variables: [String: String]) throws(UpgradeStoreError) -> CurlTLS {
        var tls = CurlTLS()
        if let file = variables["ETCDCTL_CACERT"] { tls.authorities = .file(file) }
        switch (variables["ETCDCTL_CERT"], variables["ETCDCTL_KEY"]) {
        case (nil, nil): break
        case (let certificate?, let key?): tls.clientCertificate = .init(certificateFile: certificate, keyFile: key)
        case (_?, nil):
            throw UpgradeStoreError(.unavailable, "the certificate's key is not named", subject: "ETCDCTL_KEY")
        case (nil, _?):
            throw UpgradeStoreError(.unavailable, "the key's certificate is not named", subject: "ETCDCTL_CERT")
        }
        return tls
    }
}
