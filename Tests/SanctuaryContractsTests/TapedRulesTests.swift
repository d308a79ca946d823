#if Sandbox
import CofferdamContracts
import SanctuaryContracts
import SanctuaryHarness
import Testing

/// Uses tapes of V1 as adapters: records each rule on a tape, and then runs the rule on that tape.
@Suite(.serialized, .timeLimit(.minutes(5))) struct TapedRulesTests {
    private static let rules = SanctuaryContract.rules.filter { $0.unmet(by: .v1).isEmpty }

    /// The rules that a tape cannot show, because it has no deadlines, no other instances and no secrets.
    private static let unjudged: [RuleID: HarnessCapability] = [
        "TIME-01": "adjustableClock", "TIME-02": "adjustableClock", "TIME-03": "adjustableClock",
        "TIME-06": "adjustableClock", "TIME-07": "adjustableClock", "MUT-09": "adjustableClock",
        "ERR-03": "deadAddresses",
        "LIFE-01": "deadAddresses", "ERR-06": "knownSecrets", "LIFE-06": "relaunch", "LIFE-07": "relaunch",
        "WAIT-01": "relaunch", "WAIT-02": "relaunch", "WAIT-03": "relaunch", "WAIT-04": "relaunch",
        "WAIT-05": "relaunch", "WAIT-06": "relaunch",
    ]

    /// Only the clock shows that a message waits for a stream.
    private static let unjudgedOfOne: [String: HarnessCapability] = ["AUTH-11 of send": "adjustableClock"]

    /// Operations that need a session. Without a vendor they cannot be called, so no instance is opened for them.
    private static let needingSession: Set<String?> = ["orders", "order", "messages", "place", "send"]

    /// The rules that a tape cannot repeat. LIFE-05: concurrent calls arrive in a different order each time, and so
    /// differ. LIFE-04 and STRM-13: a tape delivers a stream's events at once, and not after the calls in between.
    private static let unrepeatable: Set<RuleID> = ["LIFE-04", "LIFE-05", "STRM-13"]
    /// The events of a stream, counted between calls.
    private static let unrepeatableOfOne: Set<String> = ["AUTH-13 of message events"]

    @Test(
        arguments: rules.filter { !unrepeatable.contains($0.id) }.map(\.name)
            .filter { !unrepeatableOfOne.contains($0) }
    )
    func `a tape of V1 works as an adapter that keeps the rule that it recorded`(_ name: String) async throws {
        let rule = try #require(Self.rules.first { $0.name == name })
        let runner = ContractRunner(rules: [rule], adapters: [])
        let recorder = try TapeRecorder(name, redaction: .sanctuarySubject, environment: [:])
        let live = try #require(await runner.row(of: rule, on: .v1.recorded(by: recorder)))
        #expect(live.outcome == .passed, "live: \(live.detail ?? "")")

        let tape = try Tape(json: recorder.finish().json())
        let player = try TapePlayer(tape, redaction: .sanctuarySubject, pace: .inOrder)
        let replayed = try #require(await runner.row(of: rule, on: .v1.replayed(from: player)))
        if let power = Self.unjudged[rule.id] ?? Self.unjudgedOfOne[rule.name],
            rule.id != "ERR-03" || !Self.needingSession.contains(rule.operation)
        {
            #expect(replayed.missingHarnessCapabilities == [power], "\(replayed.detail ?? "")")
        } else {
            #expect(replayed.outcome == .passed, "from the tape: \(replayed.detail ?? "")")
            try player.finish()
        }
    }

    @Test func `a tape with a changed answer breaks the rule`() async throws {
        let rule = try #require(Self.rules.first { $0.id == "MUT-01" })
        let runner = ContractRunner(rules: [rule], adapters: [])
        let recorder = try TapeRecorder("spoiled", redaction: .sanctuarySubject, environment: [:])
        _ = await runner.row(of: rule, on: .v1.recorded(by: recorder))
        let text = String(decoding: try recorder.finish().json(), as: UTF8.self)
        let spoiled = text.replacing(
            "\"known\" : \"pending\"",
            with: "\"known\" : \"shipped\"",
            maxReplacements: 1
        )
        #expect(spoiled != text)
        let player = try TapePlayer(Tape(json: Array(spoiled.utf8)), redaction: .sanctuarySubject)
        let row = await runner.row(of: rule, on: .v1.replayed(from: player))
        #expect(row?.outcome == .failed, "\(row?.detail ?? "")")
    }
}
#endif
