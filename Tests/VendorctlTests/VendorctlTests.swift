#if Sandbox
import CommandTestSupport
import Foundation
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(5)))
struct VendorctlTests {
    private let vendorctl = BuiltCommand.vendorctl

    private struct Contracts: Decodable {
        struct Row: Decodable {
            let rule: String
            let operation: String?
            let level: String
            let adapter: String
            let outcome: String
            let seconds: Double
            let detail: String?
        }

        let digest: String
        let rows: [Row]
    }

    private struct Rehearsal: Decodable {
        struct Count: Decodable { let animals: Int }
        struct Difference: Decodable {
            let id: String?
            let path: String
        }
        struct Differences: Decodable {
            let expected: [Difference]
            let unexpected: [Difference]
        }
        struct Catalogue: Decodable {
            let v1: Count
            let v2: Count
            let differences: Differences
        }
        struct Issue: Decodable { let path: String }

        let catalogue: Catalogue
        let issues: [String: [Issue]]
        let contracts: Contracts
    }

    private struct Verdict: Decodable {
        let verdict: String
        let reasons: [String]
        let digest: String
        let expires: String?
    }

    @Test func `Nothing stays behind in the temporary folder, however the tool ends`() async throws {
        let line = """
            left=$(mktemp -d) || exit 1; export TMPDIR="$left"
            vendorctl contracts --adapter v1 --rule LIST-01 >/dev/null; ls -A "$TMPDIR"
            vendorctl contracts --adapter none >/dev/null 2>&1; echo $?; ls -A "$TMPDIR"
            for signal in TERM KILL; do
                vendorctl contracts --adapter v1 >/dev/null 2>&1 &
                until ls "$TMPDIR"/*/* >/dev/null 2>&1; do :; done
                kill -$signal $!; wait $!
                # What is left, the next process removes, once the processes that the killed one had started have ended too.
                until [ -z "$(ls -A "$TMPDIR")" ]; do vendorctl --help >/dev/null; done
            done
            # A process that the killed one had started may still have written meanwhile.
            until rmdir "$TMPDIR" 2>/dev/null; do vendorctl --help >/dev/null; done
            echo empty
            """
        let finished = try await BuiltCommand.shell(line)
        #expect(finished.output == "64\nempty\n", "\(finished.output) \(finished.error)")
    }

    @Test(
        "contracts --json has a row for each rule, operation and adapter, the same digest for each part of the contract"
    )
    func contracts() async throws {
        let finished = try await vendorctl.run(["contracts", "--json", "--rule", "GET-02", "--rule", "LIST-01"])
        #expect(finished.code == 0, "\(finished.error)")
        let contracts = try finished.json(Contracts.self)
        #expect(Set(contracts.rows.map { "\($0.rule) \($0.adapter)" }).count == 6)
        let cases = contracts.rows.map { "\($0.rule) \($0.operation ?? "") \($0.adapter)" }
        #expect(Set(cases).count == contracts.rows.count)
        #expect(Set(contracts.rows.map(\.adapter)) == ["v1", "v2", "fake"])
        #expect(contracts.rows.allSatisfy { $0.outcome == "passed" && $0.level == "M" && $0.seconds > 0 })
        #expect(contracts.digest.utf8.count == 64)

        let part = try await vendorctl.run([
            "contracts", "--json", "--rule", "list-01", "--operation", "Animals", "--adapter", "fake",
        ])
        #expect(try part.json(Contracts.self).digest == contracts.digest)
        #expect(try part.json(Contracts.self).rows.count == 1)
    }

    @Test(
        "A filter that matches nothing ends with 64",
        arguments: [["--rule", "LIST-99"], ["--adapter", "v3"], ["--operation", "unheard"]]
    )
    func unknown(_ filter: [String]) async throws {
        let finished = try await vendorctl.run(["contracts"] + filter)
        #expect(finished.code == 64)
        #expect(finished.output == "")
        #expect(finished.error.contains(filter[1]))
    }

    @Test(
        "rehearse --json holds both catalogues with only the expected differences (D2), and a run that can-upgrade judges"
    )
    func rehearse() async throws {
        let finished = try await vendorctl.run(["rehearse", "--json", "--baseline", "1000", "--limit", "0.05"])
        #expect(finished.code == 0, "\(finished.error)")
        let rehearsal = try finished.json(Rehearsal.self)
        #expect(rehearsal.catalogue.v1.animals > 100)
        #expect(rehearsal.catalogue.v1.animals == rehearsal.catalogue.v2.animals)
        #expect(rehearsal.catalogue.differences.unexpected.isEmpty)
        #expect(!rehearsal.catalogue.differences.expected.isEmpty)
        #expect(rehearsal.catalogue.differences.expected.allSatisfy { $0.id == "D2" })
        #expect(rehearsal.issues.keys.contains("v1") && rehearsal.issues.keys.contains("v2"))
        #expect(!rehearsal.contracts.rows.isEmpty)
        try await judge(run: finished.output, digest: rehearsal.contracts.digest)
    }

    /// Judges the whole contract, which the rehearsal has run.
    private func judge(run rehearsal: String, digest: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "run-\(UUID().uuidString).json")
        defer { removeFolder(file.path) }
        let parts = try JSONSerialization.jsonObject(with: Data(rehearsal.utf8)) as? [String: Any]
        try JSONSerialization.data(withJSONObject: #require(parts?["contracts"])).write(to: file)
        let finished = try await vendorctl.run(["can-upgrade", "--json", "--run", file.path(percentEncoded: false)])
        let verdict = try finished.json(Verdict.self)
        #expect(["yes": 0, "no": 1, "unknown": 2][verdict.verdict] == finished.code)
        #expect(!verdict.reasons.isEmpty)
        #expect(verdict.digest == digest)
        #expect(verdict.expires?.utf8.count == 10)
    }

    @Test("rehearse as text ends with its verdict, without colours where no terminal reads it")
    func rehearseAsText() async throws {
        let finished = try await vendorctl.run(
            ["rehearse", "--scenario", "wrong", "--baseline", "1000", "--limit", "0.05"],
            environment: ["TERM": "xterm"]
        )
        #expect(finished.code == 0, "\(finished.error)")
        #expect(finished.output.hasSuffix("scenario wrong: rolled back, as expected\n"))
        #expect(!finished.output.contains("\u{1B}"))
        // It reports its progress every few seconds.
        #expect(finished.error.split(separator: "\n").allSatisfy { $0.hasPrefix("… wrong: ") }, "\(finished.error)")
    }

    private struct Scenario: Decodable {
        struct End: Decodable { let calls: Int }
        struct Run: Decodable {
            struct Need: Decodable { let units: Int }
            let needs: Need?
        }

        let outcome: String
        let stages: [Run]
        let crashes: [End]
        let lost: Lost
        let streams: Streams

        struct Streams: Decodable {
            let followed: Int
            let items: Int
        }

        struct Lost: Decodable {
            let doubled: Int
            let missing: Int
            let undeclared: Int
            let wrong: Int
            let hung: Int
            let untold: Int
            let repeated: Int
            let misplaced: Int
            let gap: Int
            let broken: Int
        }
    }

    @Test("A crash in the rehearsal leaves calls of the new SDK under way, and the next process finds them counted")
    func crash() async throws {
        // With this limit few clean units suffice, and more are needed to rule out noise.
        let finished = try await vendorctl.run([
            "rehearse", "--scenario", "crashing", "--json", "--baseline", "300", "--limit", "0.2",
        ])
        #expect(finished.code == 0, "\(finished.error)")
        let scenario = try finished.json(Scenario.self)
        #expect(scenario.outcome == "rolledBack")
        // The operation that the fewest units call takes the canary longest.
        #expect(scenario.stages.map(\.needs?.units) == [300, 459, 10])
        #expect(!scenario.crashes.isEmpty)
        #expect(scenario.crashes.allSatisfy { $0.calls > 0 })
        let lost = scenario.lost
        let callsLost: [Int] = [lost.doubled, lost.missing, lost.undeclared, lost.wrong, lost.hung]
        #expect(callsLost == [0, 0, 0, 0, 0])
        // Only the crashes interrupt the followed conversation.
        let eventsLost: [Int] = [lost.untold, lost.repeated, lost.misplaced, lost.gap]
        #expect(eventsLost == [0, 0, 0, 0])
        #expect(lost.broken > 0)
        #expect(scenario.streams.followed > lost.broken)
        #expect(scenario.streams.items > 0)
    }

    #if os(Linux)
    @Test("Output that cannot be written is an error")
    func fullDevice() async throws {
        let finished = try await BuiltCommand.shell("vendorctl contracts --rule LIST-01 >/dev/full; echo $? >&2")
        #expect(finished.error.hasSuffix("vendorctl: cannot write to a standard stream: error 28\n70\n"))
    }
    #endif
}
#endif
