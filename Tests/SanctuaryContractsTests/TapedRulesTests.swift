import CofferdamContracts
import SanctuaryContracts
import SanctuaryHarness
import Testing

/// Tapes of V1 as adapters: each rule is recorded on one, and then held against that.
@Suite(.serialized, .timeLimit(.minutes(5))) struct TapedRulesTests {
    private static let rules = SanctuaryContract.rules.filter { $0.unmet(by: .v1).isEmpty }

    /// What a tape cannot show: nothing on it keeps a deadline, opens another instance or knows a secret.
    private static let unjudged: [RuleID: HarnessCapability] = [
        "TIME-01": "adjustableClock", "TIME-02": "adjustableClock", "TIME-03": "adjustableClock",
        "TIME-06": "adjustableClock", "TIME-07": "adjustableClock", "MUT-09": "adjustableClock",
        "ERR-03": "deadAddresses",
        "LIFE-01": "deadAddresses", "ERR-06": "knownSecrets", "LIFE-06": "relaunch", "LIFE-07": "relaunch",
    ]

    /// A message that waits for a stream is seen to do so by its clock.
    private static let unjudgedOfOne: [String: HarnessCapability] = ["AUTH-11 of send": "adjustableClock"]

    /// Of these, no call can be made where no vendor is, so that no instance has to be opened there.
    private static let needingSession: Set<String?> = ["orders", "order", "messages", "place", "send"]

    /// LIFE-05: calls at once come in another order each time, and so are other calls. LIFE-04 and STRM-13: what a stream has
    /// told comes at once from a tape, and not when the calls in between have been made.
    private static let unrepeatable: Set<RuleID> = ["LIFE-04", "LIFE-05", "STRM-13"]
    /// The events of a stream, counted between calls.
    private static let unrepeatableOfOne: Set<String> = ["AUTH-13 of message events"]

    @Test(
        arguments: rules.filter { !unrepeatable.contains($0.id) }.map(\.name)
            .filter { !unrepeatableOfOne.contains($0) }
    )
    func `a tape of V1 is an adapter that keeps the rule which it has recorded`(_ name: String) async throws {
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

    @Test func `a tape on which something else was answered breaks the rule`() async throws {
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
