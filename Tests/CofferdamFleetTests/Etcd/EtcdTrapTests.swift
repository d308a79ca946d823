#if Fleet
import Cofferdam
import CofferdamCurl
import TestSupport
import UpgradeTestSupport
@testable import CofferdamFleet
import CofferdamUpgrade
import Foundation
import Testing

/// Checks behaviour that was observed in etcd 3.4, and what could be mistaken for it.
@Suite struct EtcdTrapTests {
    private typealias Reply = ScriptedEtcd.Reply

    private static func change(_ id: String = "1", at time: Int64 = 5_000) throws -> UpgradeChange {
        try StoredUpgrade(state: UpgradeState(capability: "c", since: 0))
            .applying(Requests.request(.advance(despiteGate: true), id: id, at: time), plan: Readings.plan())
    }

    private static let made = Reply.answer(200, #"{\#(ScriptedEtcd.header),"succeeded":true,"responses":[{}]}"#)
    /// The comparison fails, because the log already has the line.
    private static func line(_ change: UpgradeChange) throws -> Reply {
        let line = try JSONEncoder().encode(change.entry).base64EncodedString()
        return .answer(
            200,
            """
            {\(ScriptedEtcd.header),"responses":[{"response_range":{"header":{"revision":"7"},"kvs":[{"key":\
            "\(ScriptedEtcd.base64("/a/c/audit/1"))","create_revision":"5","mod_revision":"5","version":"1","value":\
            "\(line)"}],"count":"1"}}]}
            """
        )
    }
    private static let lost = Reply.answer(
        200,
        #"{\#(ScriptedEtcd.header),"responses":[{"response_range":{"header":{"revision":"7"}}}]}"#
    )
    private static let timedOut = Reply.answer(
        503,
        #"{"error":"x","code":14,"message":"etcdserver: request timed out"}"#
    )

    // MARK: Transactions

    @Test(
        arguments: [
            ("it is made", [made], 7), ("it is lost, with HTTP's 200", [lost], nil),
            ("an answer was lost, and it had been made", [.failure(wasSent: true), try line(change())], 5),
            ("an answer was lost, and it had not been made", [.failure(wasSent: true), made], 7),
            ("another process has carried the same request out", [try line(change(at: 9_000))], nil),
            ("an answer was lost, and another change came first", [.failure(wasSent: nil), lost], nil),
            (
                "it timed out in the cluster, which then is not there",
                [timedOut, .failure(wasSent: false), try line(change())], 5
            ),
            ("something else answers first", [.answer(200, "{}"), .answer(200, "<html>"), made], 7),
        ] as [(String, [ScriptedEtcd.Reply], Int64?)]
    )
    private func `a change is sent until its outcome is known`(
        what: String,
        replies: [ScriptedEtcd.Reply],
        revision: Int64?
    ) async throws {
        let etcd = ScriptedEtcd([ScriptedEtcd.empty] + replies)
        let change = try Self.change()
        #expect(try await etcd.store().commit(change)?.revision == revision, "\(what)")
        #expect(etcd.calls.entries.count == replies.count + 1)
        #expect(Set(etcd.calls.entries.dropFirst().map(\.body)).count == 1, "always the same transaction")
    }

    @Test func `a transaction compares the state, the kill switch and the log, and writes all of them`() async throws {
        let etcd = ScriptedEtcd([ScriptedEtcd.empty, Self.made])
        _ = try await etcd.store().commit(try Self.change())
        let sent = try #require(etcd.calls.entries.last)
        #expect(sent.path == "/v3/kv/txn")
        let object = try JSONSerialization.jsonObject(with: Data(sent.body)) as? [String: [[String: Any]]]
        let compared = object?["compare"]?.map {
            "\($0["key"] ?? "") \($0["target"] ?? "") \($0["mod_revision"] ?? "")"
        }
        let keys = ["/a/c/state", "/a/c/kill", "/a/c/audit/1"]
        #expect(compared == keys.map { "\(ScriptedEtcd.base64($0)) MOD 0" })
        #expect(object?["success"]?.count == 2)
        #expect(object?["failure"]?.count == 1)
    }

    @Test func `an unknown outcome and a change that was never sent are reported as such`() async throws {
        let deaf = ScriptedEtcd([ScriptedEtcd.empty, .failure(wasSent: true)])
        let unknown = await #expect(throws: UpgradeStoreError.self) { try await deaf.store().commit(try Self.change()) }
        #expect(unknown?.code == .outcomeUnknown)
        #expect(unknown?.subject == "/a/c/audit/1")
        #expect(deaf.waits.entries.reduce(.zero, +) < .seconds(30))
        #expect(deaf.waits.entries.reduce(.zero, +) > .seconds(25))
        for refusal in [Reply.failure(wasSent: false), .answer(404, "not found"), .answer(429, "too many requests")] {
            let absent = ScriptedEtcd([ScriptedEtcd.empty, refusal])
            let error = await #expect(throws: UpgradeStoreError.self) {
                try await absent.store().commit(try Self.change())
            }
            #expect(error?.code == .unavailable)
            #expect(absent.calls.entries.count == 2)
        }
    }

    @Test func `an error does not show a password in an endpoint`() async throws {
        let store = EtcdUpgradeStore(
            EtcdConfiguration(endpoints: ["http://root:sesame@localhost:1"], prefix: "/a"),
            client: CurlClient()
        )
        let error = await #expect(throws: UpgradeStoreError.self) { try await store.read("c") }
        #expect(error?.message.contains("localhost:1") == true)
        #expect(error?.message.contains("sesame") == false)
    }

    @Test func `the endpoint that answered last is asked first`() async throws {
        let etcd = ScriptedEtcd([.failure(wasSent: false), .answer(500, ""), ScriptedEtcd.empty])
        let store = etcd.store(endpoints: ["one", "two", "three"])
        for _ in 0..<2 { #expect(try await store.read("c") == nil) }
        #expect(etcd.calls.entries.map(\.endpoint) == ["one", "two", "three", "three"])
    }

    @Test(arguments: ["9223372036854775807", "9223372036854775808", "-1"])
    func `a revision that is out of range is an error`(revision: String) async throws {
        let header = ScriptedEtcd.header.replacing(#""revision":"7""#, with: #""revision":"\#(revision)""#)
        let etcd = ScriptedEtcd([.answer(200, "{\(header)}")])
        let error = await #expect(throws: UpgradeStoreError.self) { try await etcd.store().read("c") }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("revision") == true)
        // Nor does the watch start there.
        let healed = ScriptedEtcd([.answer(200, "{\(header)}"), ScriptedEtcd.empty])
        var changes = healed.store().changes(of: "c").makeAsyncIterator()
        #expect(await changes.next() != nil)
        #expect(healed.waits.entries.count == 1)
    }

    @Test(arguments: ["9223372036854775808", "1", "0", "5"])
    func `a log line made at any revision can be the last of its page`(revision: String) async throws {
        let change = try Self.change()
        let page = """
            {\(ScriptedEtcd.header),"kvs":[{"key":"\(ScriptedEtcd.base64("/a/c/audit/1"))","create_revision":\
            "\(revision)","mod_revision":"5","value":"\(try JSONEncoder().encode(change.entry).base64EncodedString())"}]}
            """
        let etcd = ScriptedEtcd([.answer(200, page)])
        #expect(try await etcd.store().history(of: "c", last: 1) == [change.entry])
        #expect(etcd.calls.entries.count == 1)
    }

    // MARK: Tokens

    @Test(arguments: [
        (401, "etcdserver: invalid auth token"), (400, "etcdserver: user name is empty"),
        (400, "etcdserver: revision of auth store is old"),
    ])
    func `a token is sent without "Bearer", and a new one is fetched when it is refused`(
        status: Int,
        message: String
    ) async throws {
        func token(_ token: String) -> Reply { .answer(200, #"{\#(ScriptedEtcd.header),"token":"\#(token)"}"#) }
        let etcd = ScriptedEtcd([
            token("old"), .answer(status, #"{"message":"\#(message)"}"#), token("new"), ScriptedEtcd.empty,
        ])
        let store = etcd.store(credentials: EtcdCredentials(user: "u", password: "sesame"))
        #expect(try await store.read("c") == nil)
        #expect(etcd.calls.entries.map(\.token) == [nil, "old", nil, "new"])
        #expect(etcd.calls.entries[2].path == "/v3/auth/authenticate")
    }

    @Test func `a member that answers a login or a watch may lag, which does not count as a cluster set back`()
        async throws
    {
        let old = ScriptedEtcd.header.replacing(#""revision":"7""#, with: #""revision":"3""#)
        let etcd = ScriptedEtcd([
            .answer(200, #"{\#(old),"token":"one"}"#), ScriptedEtcd.empty,
            .answer(401, #"{"message":"invalid auth token"}"#),
            .answer(200, #"{\#(old),"token":"two"}"#), ScriptedEtcd.empty,
            ScriptedEtcd.empty, .lines([#"{"result":{\#(old),"created":true}}"#, Self.event]), Self.stored,
        ])
        let store = etcd.store(credentials: EtcdCredentials(user: "u", password: "sesame"))
        #expect(try await store.read("c") == nil)
        var changes = store.changes(of: "c").makeAsyncIterator()
        for _ in 0..<2 { #expect(await changes.next() != nil) }
        #expect(etcd.waits.entries.isEmpty)
        #expect(store.position?.revision == 7)
        let behind = ScriptedEtcd([ScriptedEtcd.empty, .answer(200, "{\(old)}")]).store()
        #expect(try await behind.read("c") == nil)
        let error = await #expect(throws: UpgradeStoreError.self) { try await behind.read("c") }
        #expect(error?.code == .setBack)
    }

    @Test func `credentials do not show their password`() {
        let credentials = EtcdCredentials(user: "u", password: "sesame")
        #expect("\(credentials)" == "u")
        var text = ""
        dump(credentials, to: &text)
        #expect(!text.contains("sesame"))
    }

    // MARK: Watches

    private static let created = #"{"result":{\#(ScriptedEtcd.header),"created":true}}"#
    /// A PUT has no type.
    private static let event =
        #"{"result":{\#(ScriptedEtcd.header),"events":[{"kv":{"key":"aw==","mod_revision":"7"}}]}}"#
    private static let stored = Reply.answer(
        200,
        """
        {\(ScriptedEtcd.header),"succeeded":true,"responses":[{"response_range":{"kvs":[{"key":\
        "\(ScriptedEtcd.base64("/a/c/kill"))","create_revision":"7","mod_revision":"7","version":"1","value":\
        "\(ScriptedEtcd.base64(#"{"target":"legacy"}"#))"}]}}]}
        """
    )

    @Test(
        arguments: [
            ("an event", [created, event], 0), ("the end of the answer", [created], 1), ("nothing", [], 1),
            (
                "a compaction",
                [
                    created,
                    #"{"result":{"header":{"cluster_id":"14841639068965178418"},"canceled":true,"compact_revision":"9"}}"#,
                ],
                1
            ),
            (
                "no permission, with HTTP's 200",
                [
                    #"{"result":{\#(ScriptedEtcd.header),"watch_id":"-1","created":true,"canceled":true,"cancel_reason":"rpc error: code = PermissionDenied"}}"#
                ],
                1
            ),
            ("an error", [#"{"error":{"grpc_code":14,"message":"no leader"}}"#], 1), ("what is no JSON", ["<html>"], 1),
            ("another cluster", [#"{"result":{"header":{"cluster_id":"1","revision":"7"},"events":[{}]}}"#], 1),
        ] as [(String, [String], Int)]
    )
    func `however a watch ends, the stored state is read again`(what: String, lines: [String], waits: Int) async throws
    {
        let etcd = ScriptedEtcd([ScriptedEtcd.empty, ScriptedEtcd.empty, .lines(lines), Self.stored])
        var changes = etcd.store().changes(of: "c").makeAsyncIterator()
        #expect(await changes.next() != nil, "it can be read")
        #expect(await changes.next() != nil, "\(what)")
        #expect(etcd.waits.entries.count == waits, "a loop without a wait would be a storm")
        let watch = try #require(etcd.calls.entries.first { $0.path == "/v3/watch" })
        let object = try JSONSerialization.jsonObject(with: Data(watch.body)) as? [String: [String: String]]
        #expect(
            object?["create_request"] == [
                "key": ScriptedEtcd.base64("/a/c/kill"), "range_end": ScriptedEtcd.base64("/a/c/state\0"),
                "start_revision": "8",
            ]
        )
    }

    @Test func `a watch that was silent for its whole time restarts at once, at the same member`() async throws {
        let quiet = Array(repeating: [ScriptedEtcd.Reply.quiet(.seconds(30)), ScriptedEtcd.empty], count: 9).joined()
        let etcd = ScriptedEtcd(
            [ScriptedEtcd.empty, ScriptedEtcd.empty] + quiet + [.lines([Self.event]), Self.stored]
        )
        var changes = etcd.store(endpoints: ["one", "two"]).changes(of: "c").makeAsyncIterator()
        for _ in 0..<2 { #expect(await changes.next() != nil) }
        #expect(etcd.waits.entries.count == 9)
        #expect(etcd.waits.entries.reduce(.zero, max) <= .milliseconds(50), "a kill switch waits for it")
        #expect(Set(etcd.calls.entries.map(\.endpoint)) == ["one"])
    }

    @Test func `a watch that is lost after a long silence restarts at once, however often it was lost before`()
        async throws
    {
        let lost = Array(repeating: [ScriptedEtcd.Reply.quietAndLost(.seconds(20)), ScriptedEtcd.empty], count: 9)
            .joined()
        let etcd = ScriptedEtcd(
            [ScriptedEtcd.empty, ScriptedEtcd.empty] + lost + [.lines([Self.event]), Self.stored]
        )
        var changes = etcd.store(endpoints: ["one", "two"]).changes(of: "c").makeAsyncIterator()
        for _ in 0..<2 { #expect(await changes.next() != nil) }
        #expect(etcd.waits.entries.count == 9)
        #expect(etcd.waits.entries.reduce(.zero, max) <= .milliseconds(50), "a kill switch waits for it")
    }

    @Test(.needsEtcd, .timeLimit(.minutes(5))) func `a real watch without changes ends without a failure`() async throws
    {
        try await EtcdServer.with { server in
            var configuration = server.configuration()
            configuration.endpoints.append("http://127.0.0.1:1")
            configuration.watchLimit = .milliseconds(100)
            let (curl, watched) = (EtcdTransport.curl(server.client), Log<String>())
            let transport = EtcdTransport(send: curl.send) { call, isEnough in
                watched.add(call.endpoint)
                return try await curl.lines(call, isEnough)
            }
            let store = EtcdUpgradeStore(EtcdGateway(configuration, transport: transport))
            let reader = Task { for await _ in store.changes(of: "c") {} }
            defer { reader.cancel() }
            try await eventually("it is begun anew") { watched.entries.count > 3 }
            #expect(Set(watched.entries) == [server.endpoint])
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a member that accepts a watch but does not start it is an error after the timeout`()
        async throws
    {
        // The system accepts the connection and buffers the request.
        let socket = try LoopbackSocket()
        let call = EtcdTransport.Call(
            endpoint: "http://127.0.0.1:\(socket.port)",
            path: "/v3/watch",
            body: [],
            timeout: .milliseconds(200),
            silence: .seconds(600)
        )
        let error = await #expect(throws: CurlError.self) {
            let client = CurlClient(configuration: .defaults { $0.options.timeouts.firstByte = nil })
            _ = try await EtcdTransport.curl(client).lines(call) { _ in false }
        }
        #expect(error?.timeout == .firstByte)
    }

    @Test func `a watch whose token is refused uses a new one the next time`() async throws {
        func token(_ token: String) -> Reply { .answer(200, #"{\#(ScriptedEtcd.header),"token":"\#(token)"}"#) }
        let refusal =
            #"{"result":{\#(ScriptedEtcd.header),"canceled":true,"cancel_reason":"etcdserver: invalid auth token"}}"#
        let etcd = ScriptedEtcd([
            token("old"), ScriptedEtcd.empty, ScriptedEtcd.empty, .lines([refusal]), token("new"), Self.stored,
        ])
        let store = etcd.store(credentials: EtcdCredentials(user: "u", password: "sesame"))
        var changes = store.changes(of: "c").makeAsyncIterator()
        for _ in 0..<2 { #expect(await changes.next() != nil) }
        #expect(etcd.calls.entries.map(\.token) == [nil, "old", "old", "old", nil, "new"])
    }

    @Test func `waiting for a change can be cancelled`() async {
        let store = ScriptedEtcd([.failure(wasSent: false)]).store()
        let reader = Task { for await _ in store.changes(of: "c") {} }
        reader.cancel()
        await reader.value
    }
}
#endif
