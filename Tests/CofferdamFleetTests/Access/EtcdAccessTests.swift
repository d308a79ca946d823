#if Fleet
import CofferdamCurl
import CofferdamFleet
import CofferdamUpgrade
import Testing
import UpgradeTestSupport

@Suite struct EtcdAccessTests {
    private static let one = "http://127.0.0.1:2379"

    @Test(
        arguments: [
            (one, [one]), ("https://a:1,http://b:2", ["https://a:1", "http://b:2"]),
            (" https://a:1 , http://[::1]:2/ ", ["https://a:1", "http://[::1]:2/"]),
        ]
    )
    func `addresses are separated by commas`(addresses: String, endpoints: [String]) throws {
        #expect(try EtcdAccess(addresses).endpoints == endpoints)
    }

    @Test(
        arguments: [
            ([:], nil, ""), (["ETCDCTL_USER": "", "ETCDCTL_PASSWORD": "sesame"], nil, ""),
            (["ETCDCTL_USER": "amara:se:same"], "amara", "se:same"),
            (["ETCDCTL_USER": "amara", "ETCDCTL_PASSWORD": "sesame"], "amara", "sesame"),
            (["ETCDCTL_USER": "a:b", "ETCDCTL_PASSWORD": "sesame"], "a:b", "sesame"),
        ] as [([String: String], String?, String)]
    )
    func `credentials are read from the environment`(variables: [String: String], user: String?, password: String)
        throws
    {
        let credentials = try EtcdAccess(Self.one, environment: variables).credentials
        #expect(credentials == user.map { EtcdCredentials(user: $0, password: password) })
    }

    @Test(
        arguments: [
            ("", [:], "etcd's address 1"), ("\(one),", [:], "etcd's address 2"),
            ("127.0.0.1:2379", [:], "etcd's address 1: the URL is not absolute"),
            ("ftp://a", [:], "etcd's address 1"), ("\(one),http://root:sesame@a:1", [:], "etcd's address 2"),
            ("http://a b", [:], "etcd's address 1"),
            (one, ["ETCDCTL_USER": "root"], "ETCDCTL_USER: there is no password"),
            (one, ["ETCDCTL_CERT": "a.pem"], "ETCDCTL_KEY: "), (one, ["ETCDCTL_KEY": "a.key"], "ETCDCTL_CERT: "),
        ] as [(String, [String: String], String)]
    )
    func `what is missing or wrong is named, without a password`(
        addresses: String,
        variables: [String: String],
        says: String
    ) {
        let error = #expect(throws: UpgradeStoreError.self) { try EtcdAccess(addresses, environment: variables) }
        #expect(error?.description.hasPrefix(says) == true, "\(String(describing: error))")
        #expect(error?.description.contains("sesame") == false)
    }

    @Test(.needsEtcd, .enabled(if: TestAuthority.isAvailable, "openssl is not installed"), .timeLimit(.minutes(5)))
    func `a store is reached with the certificates named in the environment`() async throws {
        let authority = try await TestAuthority()
        try await EtcdServer.with(authority: authority) { server in
            let identity = try await authority.issue("tool")
            let access = try EtcdAccess(
                "https://127.0.0.1:1,\(server.endpoint)",
                environment: [
                    "ETCDCTL_CACERT": identity.authority, "ETCDCTL_CERT": identity.certificate,
                    "ETCDCTL_KEY": identity.key,
                ]
            )
            let stored = try await access.store(prefix: "/apps/shop").carryOut(
                Requests.request(.advance(despiteGate: true), id: "1"),
                for: "catalogue",
                plan: Readings.plan()
            )
            #expect(try await server.store().read("catalogue") == stored)
        }
    }
}
#endif
