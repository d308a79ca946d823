#if Staged
import CofferdamCurl
import CommandTestSupport
import HTTPTypes
import MenagerieService
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Checks the app with both SDKs, whose stage and evidence are on a `cofferdam-server` in a separate process.
@Suite(.timeLimit(.minutes(5)))
struct ServerCommandTests {
    @Test
    func `Each installation counts once at the server, and all follow its stage`() async throws {
        try await ServerFixture.with { server in
            try await server.serve {
                try await server.order("advance", #""despiteGate": true"#)
                // Each directory is an installation. All run concurrently, twice.
                for _ in 1...2 {
                    try await withThrowingTaskGroup(of: Finished.self) { group in
                        for number in 1...3 {
                            group.addTask { try await server.run(number, ["accessories"]) }
                            // Lists of animals differ as expected, so they are no evidence about V2.
                            group.addTask { try await server.run(number, ["photo", "1", "--output", "-"]) }
                        }
                        for try await finished in group { #expect(finished.code == 0, "\(finished.error)") }
                    }
                }
                let status = try await server.status()
                #expect(status.stage == "shadow(10000)")
                #expect(status.units == 3, "\(status)")
                try await server.order("advance", #""despiteGate": true"#)
                try await server.order("kill", #""target": "candidate", "everybodyToV2": true"#)
                let calls = server.control.calls(of: .listAnimals, via: .v2)
                let killed = try await server.run(4, ["animals"])
                #expect(killed.code == 0, "\(killed.error)")
                #expect(server.control.calls(of: .listAnimals, via: .v2) > calls)
            }
        }
    }

    @Test
    func `Without the server the app stays where it was and says so, and what it counts arrives later, once`()
        async throws
    {
        try await ServerFixture.with { server in
            try await server.serve {
                try await server.order("advance", #""despiteGate": true"#)
                let online = try await server.run(1, ["photo", "1", "--output", "-"])
                #expect(online.code == 0, "\(online.error)")
                #expect(online.error == "")
                let status = try await server.status()
                #expect(status.units == 1, "\(status)")
            }
            for arguments in [
                ["account", "sign-in", "amara"], ["photo", "1", "--output", "-"], ["account", "sign-out"],
            ] {
                let offline = try await server.run(1, arguments)
                #expect(offline.code == 0, "\(offline.error)")
                #expect(offline.error.contains("COFFERDAM_SERVER"))
            }
            try await server.serve {
                // The installation and amara, who was compared in the shadow.
                let again = try await server.run(1, ["photo", "1", "--output", "-"])
                #expect(again.code == 0, "\(again.error)")
                let status = try await server.status()
                #expect(status.units == 2, "\(status)")
            }
        }
    }

    @Test
    func `A missing token is named, and no token is shown`() async throws {
        let environment = ["COFFERDAM_SERVER": "http://127.0.0.1:1"]
        let missing = try await BuiltCommand.sanctuary.run(["animals"], environment: environment)
        #expect(missing.code == 65)
        #expect(missing.error.contains("there is no token here or in a file (COFFERDAM_SERVER_TOKEN)"))
        for value in ["sesame", "sesame open"] {
            let shown = try await BuiltCommand.sanctuary.run(
                ["animals"],
                environment: environment.merging(["COFFERDAM_SERVER_TOKEN": value]) { $1 }
            )
            #expect(!shown.error.contains("sesame") && !shown.output.contains("sesame"))
        }
        let both = try await BuiltCommand.sanctuary.run(
            ["animals"],
            environment: environment.merging(["COFFERDAM_UPGRADE_STATE": "/nonexistent"]) { $1 }
        )
        #expect(both.code == 65)
        #expect(both.error.contains("COFFERDAM_UPGRADE_STATE is set too"))
    }
}

/// A server in a separate process, the vendor's service, and folders for installations.
private final class ServerFixture: Sendable {
    private let folder: String
    private let tokens: [String: String]
    private let vendor: ServiceFixture
    /// The address of the first start, which later starts reuse.
    private let place = Mutex(String?.none)

    var control: SandboxControl { vendor.service.control }

    private init(_ vendor: ServiceFixture, _ folder: String, _ tokens: [String: String]) {
        (self.vendor, self.folder, self.tokens) = (vendor, folder, tokens)
    }

    static func with(_ body: @escaping @Sendable (ServerFixture) async throws -> Void) async throws {
        try await ServiceFixture.with { vendor in
            let folder = vendor.state + "/server"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            var tokens: [String: String] = [:]
            for role in ["device", "admin"] {
                let made = try await BuiltCommand.server.run([
                    "token", "--name", role, "--role", role, "--tokens", folder + "/tokens.json",
                ])
                try #require(made.code == 0, "\(made.error)")
                tokens[role] = made.output.split(separator: "\n").first.map(String.init)
            }
            try await body(ServerFixture(vendor, folder, tokens))
        }
    }

    /// Runs the server while the body runs.
    func serve(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let outcome = Mutex<Result<Void, any Error>?>(nil)
        let arguments = [
            "--listen", place.withLock { $0 } ?? "127.0.0.1:0", "--database", folder + "/upgrades.sqlite",
            "--tokens", folder + "/tokens.json", "--capability", "sanctuary=small",
        ]
        let finished = try await BuiltCommand.server.runUntil(arguments) { [self] line in
            place.withLock { $0 = String(line.dropFirst("http://".count)) }
            do {
                try await body()
                outcome.withLock { $0 = .success(()) }
            } catch { outcome.withLock { $0 = .failure(error) } }
            return true
        }
        #expect(finished.code == 0, "\(finished.error)")
        try #require(outcome.withLock { $0 }).get()
    }

    private var url: String { "http://" + (place.withLock { $0 } ?? "") }

    /// Runs the app as one installation.
    func run(_ installation: Int, _ arguments: [String]) async throws -> Finished {
        try await BuiltCommand.sanctuary.run(
            arguments + ["--service", vendor.service.url, "--state", "\(vendor.state)/\(installation)"],
            environment: [
                "COFFERDAM_SERVER": url, "COFFERDAM_SERVER_TOKEN": tokens["device"] ?? "",
                "SANCTUARY_PASSWORD": "sandbox",
            ]
        )
    }

    /// Moves the upgrade; the log has the token's name.
    func order(_ move: String, _ fields: String? = nil) async throws {
        let now = try await status()
        let from = #""from": {"stage": "\#(now.stage)", "revision": \#(now.revision ?? 0)}"#
        let body = #"{"reason": "a test", "# + from + (fields.map { ", \($0)" } ?? "") + "}"
        let reply = try await send(.post, "/\(move)", Array(body.utf8))
        try #require(reply.head.status == .ok, "\(String(decoding: Array(reply.body), as: UTF8.self))")
    }

    func status() async throws -> Status {
        try JSONDecoder().decode(Status.self, from: Data(try await send(.get, "").body))
    }

    private func send(_ method: HTTPRequest.Method, _ path: String, _ body: [UInt8] = []) async throws
        -> CurlReply
    {
        var fields: HTTPFields = [.authorization: "Bearer \(tokens["admin"] ?? "")"]
        if !body.isEmpty { fields[.contentType] = "application/json" }
        let url = "\(url)/v1/capabilities/sanctuary\(path)"
        let request = try HTTPRequest(method, url: url, headerFields: fields)
        return try await CurlClient().send(request, body: body.isEmpty ? .empty : .bytes(body))
    }
}

/// The fields of the server's status that these tests check.
private struct Status: Decodable {
    struct Gate: Decodable {
        struct Test: Decodable {
            let metric: String
            let failures: Int
            let units: Int
        }

        let tests: [Test]
    }

    let stage: String
    let revision: Int64?
    let gate: Gate?

    /// The largest number of units in any of the gate's tests.
    var units: Int? { gate?.tests.map(\.units).max() }
}
#endif
