#if Fleet
import Cofferdam
import CofferdamCurl
import CofferdamFleet
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport
import UpgradeTestSupport

@Suite(.needsEtcd, .timeLimit(.minutes(5)))
struct EtcdUpgradeStoreTests {
    private let plan: UpgradePlan

    init() throws { plan = try Readings.plan() }

    private func move(_ store: EtcdUpgradeStore, _ action: UpgradeAction, _ id: String) async throws -> StoredUpgrade {
        try await store.carryOut(Requests.request(action, id: id), for: "catalogue", plan: plan)
    }

    @Test func `it keeps the contract of a store`() async throws {
        try await EtcdServer.with { try await UpgradeStoreContract($0.store()).holds() }
    }

    @Test func `a long history arrives in order, page by page`() async throws {
        try await EtcdServer.with { server in
            let store = server.store()
            for number in 0..<203 {
                let stage = Stage.canary(share: try #require(Share(tenThousandths: number)))
                let raise = UpgradeAction.override(operation: "o", stage: stage, despiteGate: true)
                _ = try await move(store, raise, "\(number)")
            }
            let all = try await store.history(of: "catalogue", last: .max)
            #expect(all.map(\.id) == (0..<203).reversed().map { "\($0)" })
            #expect(try await store.history(of: "catalogue", last: 201).count == 201)
            #expect(try await store.history(of: "catalogue", last: 0) == [])
        }
    }

    @Test(arguments: [#"\"#, "ü"])
    func `a full list of named units fits, with the line of the log that names them`(sign: String) async throws {
        try await EtcdServer.with { server in
            let store = server.store()
            // Each character has two bytes, or becomes two in JSON.
            let end = String(repeating: sign, count: 32 / sign.utf8.count)
            let units = (0..<NamedUnits.maxUnits).map { "\(10_000_000 + $0)\(end)" }
            #expect(units.reduce(0) { $0 + $1.utf8.count } == NamedUnits.maxBytes)
            let now = try await move(store, .allow(units: units), "1")
            #expect(now.state.named.units == Set(units))
            #expect(try await server.store().read("catalogue") == now)
            let entry = try await server.store().entry("1", of: "catalogue")
            #expect(entry?.request.action == .allow(units: units))
            #expect(entry?.after.named == NamedUnits.maxUnits)
            _ = try await move(store, .abort, "2")
            #expect(try await server.store().read("catalogue")?.state.named.isHeldBack == true)
        }
    }

    @Test func `names with slashes and percent signs stay separate`() async throws {
        try await EtcdServer.with { server in
            let store = server.store()
            for name in ["a", "a/audit", "a%2Faudit", "a/../b", "", "ä🦊"] {
                _ = try await store.carryOut(
                    Requests.request(.advance(despiteGate: true), id: "x/\(name)"),
                    for: name,
                    plan: plan
                )
                #expect(try await store.history(of: name, last: 10).map(\.id) == ["x/\(name)"])
            }
        }
    }

    @Test func `the first endpoint that answers is asked`() async throws {
        try await EtcdServer.with { server in
            // No server listens on port 1 of the loopback.
            let store = server.store { $0.endpoints.insert("http://127.0.0.1:1", at: 0) }
            let now = try await move(store, .advance(despiteGate: true), "1")
            #expect(try await server.store().read("catalogue") == now)
        }
    }

    @Test func `without an answer nothing was changed, and the error names the key and every endpoint`() async throws {
        let endpoints = ["http://127.0.0.1:1", "nowhere"]
        let store = EtcdUpgradeStore(
            EtcdConfiguration(endpoints: endpoints, prefix: "/apps/shop"),
            client: CurlClient()
        )
        let error = await #expect(throws: UpgradeStoreError.self) { try await store.read("catalogue") }
        #expect(error?.code == .unavailable)
        #expect(error?.subject == "/apps/shop/catalogue/state")
        #expect(endpoints.allSatisfy { error?.message.contains($0) == true })
    }

    // MARK: By hand

    @Test func `a kill switch set by hand is followed, even without a reason`() async throws {
        try await EtcdServer.with { server in
            let store = server.store()
            try await server.put("/apps/shop/catalogue/kill", #"{"target":"legacy"}"#)
            #expect(try await store.read("catalogue")?.kill == KillSwitch(.legacy, by: "unknown", reason: "none given"))
            let cleared = try await move(store, .resume, "1")
            #expect(try await store.read("catalogue") == cleared)
            #expect(cleared.kill == nil)
        }
    }

    @Test(
        arguments: [
            ("state", #"{"stage":"canary"}"#), ("kill", #"{"stage":"canary"}"#),
            ("kill", #"{"target":"legacy","seq":-1}"#),
            (
                "state",
                #"{"capability":"catalogue","stage":"shadow(10000)","epoch":1,"since":-9223372036854775808,"#
                    + #""attempt":1,"overrides":{},"entry":""}"#
            ),
        ]
    )
    func `data of another version is unreadable, and not followed`(key: String, text: String) async throws {
        try await EtcdServer.with { server in
            try await server.put("/apps/shop/catalogue/\(key)", text)
            let error = await #expect(throws: UpgradeStoreError.self) { try await server.store().read("catalogue") }
            #expect(error?.code == .unreadable)
        }
    }

    // MARK: Set back

    @Test func `a cluster that starts from scratch, with its old id or a new one, is not followed`() async throws {
        for token in ["one", "two"] {
            try await EtcdServer.with { server in
                let store = server.store()
                _ = try await move(store, .advance(despiteGate: true), "1")
                let position = try #require(store.position)
                try await server.restartEmpty(token: token)
                let heirs = [store, EtcdUpgradeStore(server.configuration(), client: server.client, known: position)]
                for store in heirs {
                    let error = await #expect(throws: UpgradeStoreError.self) { try await store.read("catalogue") }
                    #expect(error?.code == .setBack)
                    let refused = await #expect(throws: UpgradeStoreError.self) {
                        try await move(store, .advance(despiteGate: true), "2")
                    }
                    #expect(refused?.code == .setBack)
                }
                #expect(try await server.store().read("catalogue") == nil, "who knew nothing before begins with it")
            }
        }
    }

    @Test(arguments: ["state", "kill"])
    func `after a deletion by hand the store counts as set back, and commits nothing stale`(key: String)
        async throws
    {
        try await EtcdServer.with { server in
            let store = server.store()
            let killed = try await move(store, .kill(.freeze), "1")
            let change = try killed.applying(Requests.request(.kill(.legacy), id: "2"), plan: plan)
            try await server.delete("/apps/shop/catalogue/\(key)")
            let error = await #expect(throws: UpgradeStoreError.self) { try await store.read("catalogue") }
            #expect(error?.code == .setBack)
            #expect(try await store.commit(change) == nil)
            let now = try await move(server.store(), .kill(.legacy), "3")
            #expect(try await store.read("catalogue") == now)
        }
    }

    // MARK: Credentials

    @Test func `a token is fetched, and a new one when it is refused`() async throws {
        try await EtcdServer.with { server in
            try await server.post("/v3/auth/user/add", ["name": "root", "password": "sesame"])
            try await server.post("/v3/auth/role/add", ["name": "root"])
            try await server.post("/v3/auth/user/grant", ["user": "root", "role": "root"])
            try await server.post("/v3/auth/enable", [:])
            let store = server.store { $0.credentials = EtcdCredentials(user: "root", password: "sesame") }
            let first = try await move(store, .advance(despiteGate: true), "1")
            // The server keeps its tokens in memory.
            try await server.restart()
            #expect(try await store.read("catalogue") == first)
            try await server.restart()
            let second = try await move(
                server.store { $0.credentials = EtcdCredentials(user: "root", password: "sesame") },
                .abort,
                "2"
            )
            #expect(second.state.stage == .legacyOnly)
            let stranger = server.store { $0.credentials = EtcdCredentials(user: "root", password: "swordfish") }
            for store in [stranger, server.store()] {
                let error = await #expect(throws: UpgradeStoreError.self) { try await store.read("catalogue") }
                #expect(error?.code == .unavailable)
                #expect(error?.message.contains("swordfish") == false)
            }
        }
    }

    // MARK: Changes

    /// Runs `body` with the store and a count of its notifications.
    private func watching(_ store: EtcdUpgradeStore, _ body: (Log<Void>) async throws -> Void) async throws {
        let reported = Log<Void>()
        let reader = Task { for await change in store.changes(of: "catalogue") { reported.add(change) } }
        defer { reader.cancel() }
        try await eventually("the store can be read") { reported.entries.count == 1 }
        try await body(reported)
        reader.cancel()
        await reader.value
    }

    @Test func `a change of the state or the kill switch is reported, whoever makes it`() async throws {
        try await EtcdServer.with { server in
            try await watching(server.store { $0.watchLimit = .seconds(600) }) { reported in
                _ = try await move(server.store(), .advance(despiteGate: true), "1")
                try await eventually("a change is reported") { reported.entries.count == 2 }
                try await server.put("/apps/shop/catalogue/kill", #"{"target":"legacy"}"#)
                try await eventually("a kill switch is reported") { reported.entries.count == 3 }
            }
        }
    }

    @Test func `a watch survives a restart of the server, and reports what changed meanwhile`() async throws {
        try await EtcdServer.with(isSynchronous: true) { server in
            try await watching(server.store()) { reported in
                try await server.restart()
                _ = try await move(server.store(), .advance(despiteGate: true), "1")
                try await eventually("the change is reported") { reported.entries.count == 2 }
            }
        }
    }
}
#endif
