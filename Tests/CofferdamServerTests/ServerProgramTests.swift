#if Server
import Cofferdam
import CofferdamCurl
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
import TestSupport
@testable import CofferdamServer

@Suite("cofferdam-server, as it is built") struct ServerProgramTests {
    private static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { removeFolder(folder) }
        try await body(folder)
    }

    private static func makeToken(_ role: ServerRole, in folder: String) async throws -> String {
        let made = try await ServerProgram.run(
            "token",
            "--name",
            role.rawValue,
            "--role",
            role.rawValue,
            "--tokens",
            folder + "/tokens.json"
        )
        #expect(made.isSuccess, "\(made.error)")
        return made.output.trimmingCharacters(in: .newlines)
    }

    /// Posts one unit in each request, until the server is gone.
    ///
    /// - Parameter problems: why units were not acknowledged.
    private static func post(
        _ units: [Int],
        to url: String,
        token: String,
        problems: Log<String> = Log()
    ) async throws -> Set<Int> {
        let client = CurlClient()
        return await withTaskGroup { group in
            for unit in units {
                group.addTask { () -> Int? in
                    do {
                        struct Post: Encodable { var reports: [EvidenceReport] }
                        let body = try JSONEncoder().encode(Post(reports: [Reports.baseline(unit..<unit + 1)]))
                        let request = try HTTPRequest(
                            .post,
                            url: url + "/v1/capabilities/orders/evidence",
                            headerFields: [.authorization: "Bearer \(token)", .contentType: "application/json"]
                        )
                        let reply = try await client.send(request, body: .bytes(Array(body)))
                        guard reply.head.status != .ok else { return unit }
                        problems.add("\(reply.head.status): \(String(decoding: reply.body, as: UTF8.self))")
                    } catch { problems.add("\(error)") }
                    return nil
                }
            }
            var acknowledged: Set<Int> = []
            for await unit in group { if let unit { acknowledged.insert(unit) } }
            return acknowledged
        }
    }

    private static func units(in folder: String) async throws -> Int {
        let log = try SQLiteUpgradeLog(path: folder + "/upgrades.sqlite")
        let evidence = StoredEvidence(log, window: 600)
        return try await evidence.baseline(of: "orders", minimum: 1)?.units.total ?? 0
    }

    @Test func `kill -9 in the middle of posts loses nothing that was acknowledged`() async throws {
        try await Self.withFolder { folder in
            let device = try await Self.makeToken(.device, in: folder)
            let amara = try await Self.makeToken(.operator, in: folder)
            let arguments = [
                "--listen", "127.0.0.1:0", "--database", folder + "/upgrades.sqlite", "--tokens",
                folder + "/tokens.json", "--capability", "orders=small", "--address-rate", "0",
            ]
            let acknowledged = Mutex<Set<Int>>([])
            for round in 0..<3 {
                try await ServerProgram.serve(arguments) { url, process in
                    async let early = Self.post(Array(round * 200..<round * 200 + 100), to: url, token: device)
                    let first = try await early
                    async let late = Self.post(Array(round * 200 + 100..<round * 200 + 200), to: url, token: device)
                    kill(process, SIGKILL)
                    let second = try await late
                    acknowledged.withLock { $0.formUnion(first.union(second)) }
                }
                let known = acknowledged.withLock { $0.count }
                let counted = try await Self.units(in: folder)
                #expect(counted >= known)
                #expect(counted <= (round + 1) * 200)
                #expect(known >= (round + 1) * 100)
            }
            // The devices post everything until it is acknowledged, and a person's order survives the next crash.
            try await ServerProgram.serve(arguments) { url, process in
                let problems = Log<String>()
                var missing = Set(0..<600)
                for _ in 0..<10 where !missing.isEmpty {
                    let posted = try await Self.post(Array(missing), to: url, token: device, problems: problems)
                    missing.subtract(posted)
                }
                #expect(missing.isEmpty, "\(problems.entries.prefix(9))")
                let request = try HTTPRequest(
                    .post,
                    url: url + "/v1/capabilities/orders/kill",
                    headerFields: [.authorization: "Bearer \(amara)", .contentType: "application/json"]
                )
                let body = Array(#"{"reason": "orders fail", "target": "legacy"}"#.utf8)
                #expect(try await CurlClient().send(request, body: .bytes(body)).head.status == .ok)
                kill(process, SIGKILL)
            }
            #expect(try await Self.units(in: folder) == 600)
            let store = SQLiteUpgradeStore(log: try SQLiteUpgradeLog(path: folder + "/upgrades.sqlite"))
            #expect(try await store.read("orders")?.kill?.target == .legacy)
            #expect(try await store.history(of: "orders", last: 9).map(\.request.by) == ["operator"])
        }
    }

    @Test func `it stops in an orderly way when asked to`() async throws {
        try await Self.withFolder { folder in
            let device = try await Self.makeToken(.device, in: folder)
            let arguments = [
                "--listen", "127.0.0.1:0", "--database", folder + "/upgrades.sqlite", "--tokens",
                folder + "/tokens.json", "--capability", "orders",
            ]
            try await ServerProgram.serve(arguments) { url, process in
                let path = url + "/v1/capabilities/orders/stage"
                let fields: HTTPFields = [.authorization: "Bearer \(device)", .ifNoneMatch: "\"0-\""]
                let client = CurlClient()
                #expect(
                    try await client.send(HTTPRequest(.get, url: path, headerFields: fields)).head.status
                        == .notModified
                )
                let poll = try HTTPRequest(.get, url: path + "?wait=60", headerFields: fields)
                async let waiting = client.send(poll)
                // The poll may have begun or not: it is answered, or its connection is refused.
                kill(process, SIGTERM)
                do { #expect([304, 503].contains(try await waiting.head.status.code)) } catch let error as CurlError {
                    #expect([.connect, .connectionLost].contains(error.code), "\(error)")
                }
            }
        }
    }

    @Test func `its help has examples, and a mistake is named`() async throws {
        for command in [["--help"], ["serve", "--help"], ["token", "--help"]] {
            let help =
                command.count == 1
                ? try await ServerProgram.run("--help") : try await ServerProgram.run(command[0], command[1])
            #expect(help.isSuccess)
            if command.count == 2 { #expect(help.output.contains("EXAMPLES")) }
        }
        try await Self.withFolder { folder in
            let none = try await ServerProgram.run("--tokens", folder + "/none.json", "--capability", "orders")
            #expect(!none.isSuccess)
            #expect(none.error.contains("none.json cannot be read"))
            _ = try await Self.makeToken(.device, in: folder)
            let tokens = folder + "/tokens.json"
            let plan = try await ServerProgram.run("--tokens", tokens, "--capability", "orders=huge")
            #expect(plan.error.contains("the plan must be one of strict, standard, small, arms"))
            let alone = try await ServerProgram.run(
                "--tokens",
                tokens,
                "--capability",
                "orders",
                "--etcd",
                "http://127.0.0.1:1"
            )
            #expect(!alone.isSuccess && alone.error.contains("--etcd needs --prometheus"), "\(alone.error)")
            let lost = try await ServerProgram.run(
                "--tokens",
                tokens,
                "--capability",
                "orders",
                "--database",
                folder + "/x.sqlite",
                "--etcd",
                "http://127.0.0.1:1",
                "--prometheus",
                "http://127.0.0.1:1",
                "--instances",
                "a:1,b:1"
            )
            #expect(!lost.isSuccess && lost.error.contains("the state of orders"), "\(lost.error)")
            #expect(lost.error.contains("etcd: "), "\(lost.error)")
            let again = try await ServerProgram.run(
                "token",
                "--name",
                "device",
                "--role",
                "reader",
                "--tokens",
                tokens
            )
            #expect(again.error.contains("two tokens have the name device"))
            let role = try await ServerProgram.run("token", "--name", "x", "--role", "king", "--tokens", tokens)
            #expect(role.error.contains("the role must be one of device, reader, operator, admin"))
        }
    }

    @Test func `options of connections are checked, and the limit of open files is the hard one`() async throws {
        try await Self.withFolder { folder in
            _ = try await Self.makeToken(.device, in: folder)
            let (tokens, database) = (folder + "/tokens.json", folder + "/x.sqlite")
            func run(_ option: String, _ value: String) async throws -> (output: String, error: String) {
                let run = try await ServerProgram.runWithFewFiles(
                    "--tokens",
                    tokens,
                    "--database",
                    database,
                    "--capability",
                    "orders",
                    option,
                    value
                )
                #expect(!run.isSuccess)
                return (run.output.trimmingCharacters(in: .newlines), run.error)
            }
            let many = try await run("--max-connections", "2000000000")
            #expect(many.error.contains("the number of connections must be 1 to "), "\(many.error)")
            #if os(Linux)
            #expect(many.error.contains("the process may open \(many.output) files"), "\(many.error)")
            #endif
            for (option, value, message) in [
                ("--trusted-proxy", "proxy", "\"proxy\" is neither an address nor a network"),
                ("--public-url", "https://a/b", "the public URL must be like"),
                ("--promotion-counts", "orders=some", "give NAME=all, NAME=enrolled or NAME=attested"),
                ("--promotion-counts", "orders=attested", "only attested installations count"),
                ("--attestation-command", "bin/verify", "an executable file with an absolute path"),
                ("--attestation-url", "verify", "the attestation's verifier: "),
            ] {
                let error = try await run(option, value).error
                #expect(error.contains(message), "\(error)")
            }
        }
    }
}
#endif
