#if Fleet
import Cofferdam
import CofferdamCurl
import CofferdamFleet
import CofferdamUpgrade
import Testing
import TestSupport
import UpgradeTestSupport

@Suite(
    .needsEtcd,
    .enabled(if: TestAuthority.isAvailable, "openssl is not installed"),
    .timeLimit(.minutes(5))
)
struct EtcdTLSTests {
    @Test func `with the certificates that etcd requires, it is a store like any other`() async throws {
        try await EtcdServer.with(authority: await TestAuthority()) { server in
            try await UpgradeStoreContract(server.store()).holds()
        }
    }

    @Test func `a change by another client is reported`() async throws {
        try await EtcdServer.with(authority: await TestAuthority()) { server in
            let (store, reported) = (server.store { $0.watchLimit = .seconds(600) }, Log<Void>())
            let reader = Task { for await change in store.changes(of: "catalogue") { reported.add(change) } }
            defer { reader.cancel() }
            try await eventually("the store can be read") { reported.entries.count == 1 }
            _ = try await server.store().carryOut(
                Requests.request(.advance(despiteGate: true), id: "1"),
                for: "catalogue",
                plan: Readings.plan()
            )
            try await eventually("a change is reported") { reported.entries.count == 2 }
            reader.cancel()
            await reader.value
        }
    }

    @Test func `a client that etcd does not trust, or that does not trust etcd, changes nothing and learns why`()
        async throws
    {
        let authority = try await TestAuthority()
        try await EtcdServer.with(authority: authority) { server in
            let clients = [
                "without a certificate": try await authority.clientConfiguration(hasCertificate: false),
                "of another authority": try await TestAuthority().clientConfiguration(),
                "of no authority": CurlConfiguration(),
            ]
            for (who, configuration) in clients {
                var limited = server.configuration()
                limited.outcomeLimit = .seconds(1)
                let store = EtcdUpgradeStore(limited, client: CurlClient(configuration: configuration))
                let error = await #expect(throws: UpgradeStoreError.self, "\(who)") {
                    try await store.carryOut(
                        Requests.request(.advance(despiteGate: true), id: who),
                        for: "catalogue",
                        plan: Readings.plan()
                    )
                }
                #expect(error?.code == .unavailable, "\(who)")
                #expect(error?.message.contains("127.0.0.1:") == true, "\(who)")
            }
            #expect(try await server.store().read("catalogue") == nil)
        }
    }
}
#endif
