#if CommandLine
import ArgumentParser
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport

@testable import CofferdamTool

struct UpgradeCommandTests {
    @Test(
        arguments: [
            (["advance"], 64), (["advance", "--reason", " \t"], 64), (["advance", "--reason", "x"], 64),
            (["kill", "legacy", "--reason", "a\u{200B}\u{2800}...b "], 64), (["promote"], 64),
            (["kill", "legacy"], 64),
            (["kill", "everything", "--reason", "test"], 64), (["kill", "--reason", "test"], 64),
            (["rollback", "--to", "canary(050)", "--reason", "test"], 64),
            (["override", "orders.place", "--reason", "test"], 64),
            (["override", "orders.place", "legacyOnly", "--clear", "--reason", "test"], 64),
            (["override", "", "legacyOnly", "--reason", "test"], 64), (["status", "-c", "orders"], 64),
            (["status", "--state", "a", "--etcd", "b"], 64), (["status", "--state", ""], 64),
            (["status", "--etcd", "http://127.0.0.1:1"], 64), (["history", "--last", "0"], 64),
            (["plan", "--attempt", "0"], 64), (["explain", "no-such-entry"], 64), (["explain", ""], 64),
            (["watch", "--until", "success"], 64), (["watch", "--every", "0"], 64),
            (["abort", "--all", "-c", "catalogue"], 64),
            (["advance", "--by", "", "--reason", "test"], 64),
        ] as [([String], Int32)]
    )
    func `Wrong usage, or a missing reason, ends with 64 and changes nothing`(
        _ arguments: [String],
        _ code: Int32
    ) async throws {
        let bench = UpgradeBench()
        #expect(await exitCode(of: arguments, bench) == code)
        #expect(try await bench.store.read("catalogue") == nil)
    }

    @Test(
        arguments: [
            (["status"], 0), (["status", "--json"], 0), (["plan"], 0), (["plan", "--json", "--attempt", "2"], 0),
            (["history"], 0), (["history", "--json"], 0), ([], 0), (["explain"], 1), (["explain", "--json"], 1),
            (["advance", "--reason", "test"], 1), (["advance", "--reason", "test", "--json"], 1),
            (["advance", "--despite-gate", "--reason", "test"], 0),
            (["kill", "legacy", "--reason", "test"], 0),
            (["override", "orders.place", "legacyOnly", "--reason", "test"], 0),
            (["promote", "--reason", "test"], 1), (["promote", "--reason", "test", "--json"], 1),
            (["abort", "--reason", "test"], 1), (["rollback", "--reason", "test"], 1),
            (["resume", "--reason", "test"], 1),
        ] as [([String], Int32)]
    )
    func `Before the first step, each command ends with its code`(_ arguments: [String], _ code: Int32) async {
        #expect(await exitCode(of: arguments, UpgradeBench()) == code)
    }

    @Test(arguments: ["status", "history", "explain", "promote", "advance", "watch"])
    func `A store that cannot be read ends with 70`(_ command: String) async {
        var bench = UpgradeBench()
        bench.failure = UpgradeStoreError(.unreadable, "format 9", subject: "state.json")
        let reason = ["promote", "advance"].contains(command) ? ["--reason", "test"] : []
        #expect(await exitCode(of: [command] + reason, bench) == 70)
    }

    #if Fleet
    @Test func `stop-file makes a key once, and signs with it`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { removeFolder(folder.path) }
        let key = folder.appendingPathComponent("stop.key").path
        let bench = UpgradeBench()
        #expect(await exitCode(of: ["stop-file", "--new-key", key], bench) == 0)
        let made = try String(contentsOfFile: key, encoding: .utf8)
        let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(await exitCode(of: ["stop-file", "--new-key", key], bench) == 70, "it is not replaced")
        #expect(try String(contentsOfFile: key, encoding: .utf8) == made)
        let sign = ["stop-file", "--key", key]
        #expect(await exitCode(of: sign + ["--all", "--reason", "test"], bench) == 0)
        #expect(await exitCode(of: sign + ["-c", "catalogue", "--reason", "test"], bench) == 0)
        #expect(await exitCode(of: sign + ["--all"], bench) == 64, "no reason")
        #expect(await exitCode(of: sign + ["-c", "orders", "--reason", "test"], bench) == 64)
        #expect(
            await exitCode(of: ["stop-file", "--key", key + "2", "--all", "--reason", "test"], bench) == 70
        )
        #expect(await exitCode(of: ["stop-file"], bench) == 64)

        // The kit's own tool has no upgrades, and the server that has them cannot be reached.
        var other = bench
        other.names = []
        #expect(await exitCode(of: sign + ["--all", "--reason", "test"], other) == 0)
        #expect(await exitCode(of: sign + ["-c", "orders", "--reason", "test"], other) == 0)
        #expect(await exitCode(of: sign + ["--reason", "test"], other) == 64, "no name")
    }

    @Test(arguments: [(["--all"], []), (["-c", "orders"], ["orders"])] as [([String], [String])])
    func `stop-file of the kit's own tool names what it is given, without a server`(
        _ options: [String],
        _ names: [String]
    ) async throws {
        let command = try UpgradeStopFileCommand<KitTool>.parse(["--key", "stop.key"] + options)
        let upgrades = try await KitTool.tooling().upgrades
        #expect(try command.names(in: upgrades) == names)
    }
    #endif

    @Test func `A tool without an upgrade says so`() async {
        var bench = UpgradeBench()
        bench.names = []
        #expect(await exitCode(of: ["status"], bench) == 64)
    }

    @Test(arguments: [("because", 0), ("  ", 64), (nil, 64)] as [(String?, Int32)])
    func `At a terminal the command asks for the reason, and an empty one does not count`(
        _ answer: String?,
        _ code: Int32
    )
        async throws
    {
        var bench = UpgradeBench()
        (bench.isInteractive, bench.answer) = (true, answer)
        #expect(await exitCode(of: ["advance", "--despite-gate"], bench) == code)
        let entry = try await bench.store.history(of: "catalogue", last: 1).first
        #expect(entry?.request.reason == (code == 0 ? "because" : nil))
        #expect(entry?.request.by == (code == 0 ? "amara" : nil))
    }

    @Test(
        arguments: [
            (["USER": "ben"], "root", nil, "ben"), ([:], "ben", nil, "ben"), (["USER": " "], "ben", nil, "ben"),
            (["USER": "ben"], "root", "ada", "ada"), ([:], "", nil, nil),
        ] as [([String: String], String, String?, String?)]
    )
    func `A change is logged under the given name, or else the login name`(
        _ variables: [String: String],
        _ account: String,
        _ by: String?,
        _ expected: String?
    ) async throws {
        var bench = UpgradeBench()
        (bench.variables, bench.account) = (variables, account)
        let named = by.map { ["--by", $0] } ?? []
        let code = await exitCode(of: ["kill", "legacy", "--reason", "test"] + named, bench)
        #expect(code == (expected == nil ? 64 : 0))
        #expect(try await bench.store.history(of: "catalogue", last: 1).first?.request.by == expected)
    }

    @Test func `A kill switch for an upgrade that never began says that the app may be elsewhere`() async throws {
        let bench = UpgradeBench()
        let kill = RequestedChange.certain(.kill(.legacy))
        let first = try await bench.controls.change(bench.capabilities, kill, by: "amara", reason: "r")
        #expect(first.changes.count == 1)
        #expect(first.problems("bench").hasPrefix("bench: catalogue: this upgrade had never begun here. "))

        let second = try await bench.controls.change(bench.capabilities, kill, by: "amara", reason: "r")
        let begun = UpgradeBench()
        try await begun.walk(to: .shadow(sample: .all))
        let third = try await begun.controls.change(begun.capabilities, kill, by: "amara", reason: "r")
        for report in [second, third] { #expect(report.problems("bench") == "") }
    }

    @Test func `Among several upgrades one must be named, and urgent changes may be for all`() async throws {
        var bench = UpgradeBench()
        bench.names = ["catalogue", "orders"]
        #expect(await exitCode(of: ["advance", "--reason", "test"], bench) == 64)
        let step = ["advance", "--despite-gate", "--reason", "test", "--by", "ben"]
        #expect(await exitCode(of: step + ["-c", "orders"], bench) == 0)
        #expect(try await bench.store.read("catalogue") == nil)
        #expect(await exitCode(of: ["kill", "freeze", "--all", "--reason", "test"], bench) == 0)
        for name in bench.names { #expect(try await bench.store.read(name)?.kill?.target == .freeze) }
        #expect(
            await exitCode(of: ["abort", "-c", "orders", "--reason", "test"], bench) == 0,
            "a person goes back under a freeze"
        )
    }

    @Test func `Forward and back, each step is in the log, and a refusal is not`() async throws {
        let bench = UpgradeBench()
        try await bench.walk(to: .shadow(sample: .all))
        #expect(await exitCode(of: ["advance", "--reason", "test"], bench) == 1, "the gate decides")
        await bench.count(0, of: 20_000)
        #expect(await exitCode(of: ["promote", "--reason", "the gate says so"], bench) == 0)
        #expect(try await bench.store.read("catalogue")?.state.stage == .canary(share: 500))
        #expect(await exitCode(of: ["promote", "--reason", "again"], bench) == 1, "nothing is counted there")
        #expect(await exitCode(of: ["rollback", "--to", "shadow(10000)", "--reason", "too early"], bench) == 0)
        #expect(await exitCode(of: ["kill", "legacy", "--reason", "test"], bench) == 0)
        #expect(await exitCode(of: ["advance", "--reason", "test"], bench) == 1, "it is killed")
        #expect(await exitCode(of: ["resume", "--reason", "test"], bench) == 0)
        let log = try await bench.store.history(of: "catalogue", last: 10)
        #expect(log.map(\.request.action.name) == ["resume", "kill", "rollback", "promote", "advance"])
        #expect(try await bench.store.read("catalogue")?.state.stage == .legacyOnly)
    }

    @Test func `watch ends as soon as the awaited state is reached`() async throws {
        let bench = UpgradeBench()
        try await bench.walk(to: .canary(share: 500))
        #expect(await exitCode(of: ["watch", "--until", "shadow(10000)"], bench) == 0)
    }
}
#endif
