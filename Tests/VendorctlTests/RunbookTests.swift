#if Sandbox
#if SQLite
import CommandTestSupport
import Foundation
import Testing
import TestSupport

/// Runs the commands of RUNBOOK.md as an engineer would type them.
@Suite(.timeLimit(.minutes(5)))
struct RunbookTests {
    private static let directory = " --state /var/lib/sanctuary/upgrade"
    private static let server = " --server https://upgrades.example.com"

    private struct Status: Decodable {
        var stage: String
        var attempt: Int
        var waitsFor: String
    }

    @Test func `the commands for a directory lead from the incident to a new start without V2`() async throws {
        let commands = try Self.commands().filter { $0.contains(Self.directory) }
        #expect(commands.count > 4)
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { removeFolder(folder.path) }
        let line = """
            set -e
            export USER=amara COFFERDAM_UPGRADE_STATE="\(folder.path)"
            vendorctl upgrade advance --despite-gate --reason "agreed upon"
            vendorctl upgrade advance --despite-gate --reason "agreed upon"
            \(commands.joined(separator: "\n").replacing(Self.directory, with: ""))
            """
        let walked = try await BuiltCommand.shell(line)
        let cost =
            "vendorctl: Users who first signed in under V2 are signed out; their unsent messages wait until they sign in.\n"
        #expect(walked.code == 0 && walked.error == cost, "\(walked.error)")
        #expect(walked.output.contains("`vendorctl upgrade resume` does not bring V2 back"))
        let shown = try await BuiltCommand.vendorctl.run(["upgrade", "status", "--json", "--state", folder.path])
        let status = try #require(try shown.json([Status].self).first)
        #expect((status.stage, status.attempt, status.waitsFor) == ("legacyOnly", 2, "advance"))
    }

    @Test func `each command for a directory has its counterparts for a fleet and a server`() throws {
        let commands = try Self.commands().filter { !$0.contains("stop-file") }
        let place = #/\ --etcd\ https:\S+(\ --prometheus\ https:\S+\ --job\ \S+\ --instances\ \S+)?/#
        let here = commands.filter { $0.contains(Self.directory) }.map { $0.replacing(Self.directory, with: "") }
        let fleet = commands.filter { $0.contains(" --etcd ") }.map { $0.replacing(place, with: "") }
        let server = commands.filter { $0.contains(Self.server) }.map { $0.replacing(Self.server, with: "") }
        #expect(here == fleet)
        #expect(here == server)
        #expect(here.count * 3 == commands.count)
    }

    @Test func `the runbook is what the tool prints for this upgrade`() async throws {
        let owner = try #require(try Self.text().firstMatch(of: #/Owner: (.+)\. Last drill: (.+); the next/#))
        let printed = try await BuiltCommand.vendorctl.run([
            "runbook", "--owner", String(owner.output.1), "--last-drill", String(owner.output.2),
            "--state", "/var/lib/sanctuary/upgrade", "--etcd", "https://10.0.0.2:2379", "--prefix", "/apps/sanctuary",
            "--prometheus", "https://10.0.0.4:9090", "--job", "sanctuary", "--instances", "10.0.0.7:9090,10.0.0.8:9090",
            "--server", "https://upgrades.example.com",
        ])
        let text = try Self.text()
        #expect(printed.code == 0 && printed.output == text, "\(printed.error)")
    }

    @Test func `another team's runbook has its own names, and only its own places`() async throws {
        let printed = try await BuiltCommand.vendorctl.run(["runbook", "--capability", "a", "--capability", "b"])
        let text = printed.output
        #expect(
            text.contains("vendorctl upgrade resume --all --reason \"V2 is being mended\" --server https://upgrades")
        )
        #expect(text.contains("https://upgrades.example.com/v1/capabilities/a/kill"))
        for word in ["sanctuary", "--state", "--etcd", "etcdctl", "In a fleet"] {
            #expect(!text.contains(word), "\(word)")
        }
    }

    @Test func `the stop file of the runbook is signed for all upgrades`() async throws {
        let command = try #require(try Self.commands().first { $0.contains("stop-file") })
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { removeFolder(folder.path) }
        let line = """
            set -e; cd "\(folder.path)"; export USER=amara HOME="$PWD"
            vendorctl upgrade stop-file --new-key ~/.cofferdam-stop.key
            \(command)
            cat stop.json
            """
        let signed = try await BuiltCommand.shell(line)
        #expect(signed.code == 0, "\(signed.error)")
        #expect(
            signed.output.contains(#"\"by\":\"amara\",\"capabilities\":[],\"reason\":\"orders fail\""#),
            "\(signed.output)"
        )
    }

    /// Returns the lines of the shell blocks that call the tool.
    private static func commands() throws -> [String] {
        let text = try Self.text()
        var commands: [String] = []
        var isShell = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("```") { isShell = line == "```sh" } else if isShell { commands.append(String(line)) }
        }
        return commands.filter { $0.hasPrefix("vendorctl ") }
    }

    private static func text() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "RUNBOOK.md"), encoding: .utf8)
    }
}
#endif
#endif
