import CofferdamContracts
import SanctuaryContracts
import SanctuaryDomain
import Testing

/// Tapes of the vendor's SDKs against the embedded service.
@Suite(.serialized, .timeLimit(.minutes(2))) struct TapedServicesTests {
    private let redaction = TapeRedaction.sanctuary

    @Test(arguments: ["v1", "v2", "fake"])
    func `a session over all six ports is heard again from the tape, word for word`(_ adapter: String) async throws {
        let recorder = try TapeRecorder("a day on \(adapter)", redaction: redaction, environment: [:])
        let (recorded, credentials) = try await withSubject(adapter) { subject in
            let services = try await recorder.recording(subject.services)
            let session = try await TapedSession(over: services, as: subject.credentials) {
                try await subject.probe.waitForSubscribers(of: .messages, exactly: 1)
            }
            return (session.lines, subject.credentials)
        }
        let json = try recorder.finish().json()
        #expect(!String(decoding: json, as: UTF8.self).contains(credentials.password))
        let tape = try Tape(json: json)
        #expect(Set(tape.operations) == Self.operations)

        let player = try TapePlayer(tape, redaction: redaction)
        let other = Credentials(user: credentials.user, password: "whatever")
        let replayed = try await TapedSession(over: try await player.services(), as: other)
        #expect(replayed.lines == recorded)
        #expect(recorded.count > 25)
        try player.finish()
    }

    @Test(arguments: ["GET-02", "MUT-01", "BIN-01"] as [RuleID])
    func `a tape of V1 is an adapter that passes the rule which it has recorded`(_ id: RuleID) async throws {
        let rule = try #require(SanctuaryContract.rules.first { $0.id == id })
        let recorder = try TapeRecorder(id.rawValue, redaction: redaction, environment: [:])
        try await withSubject("v1") { subject in
            var taped = subject
            taped.services = try await recorder.recording(subject.services)
            #expect(try await rule.body(taped, RuleContext(of: rule, on: subject)).isEmpty)
        }
        // Another vendor, who numbers what is seeded as the first one did; its clock is another one, so no rule is here that
        // seeds what has a date.
        try await withSubject("v1") { subject in
            var taped = subject
            let player = try TapePlayer(Tape(json: recorder.finish().json()), redaction: redaction)
            taped.services = try await player.services()
            #expect(try await rule.body(taped, RuleContext(of: rule, on: subject)) == [])
            try player.finish()
            // The rule's last reset came before its last calls: the vendor has heard of none of them.
            for operation in SanctuaryOperation.allCases {
                #expect(try await subject.probe.calls(of: operation) == 0)
            }
        }
    }

    private static let operations: Set<String> = [
        "services", "close", "catalogue.animals", "catalogue.animal", "photos.photo",
        "accessories.accessories", "accessories.events", "accessories.scan", "accessories.activate",
        "accessories.release", "accessories.perform", "accessories.nicknames", "accessories.setNickname",
        "orders.orders", "orders.order", "orders.place", "messages.messages", "messages.send", "messages.events",
        "accounts.state", "accounts.signIn", "accounts.signOut",
    ]
}

extension RuleContext {
    fileprivate init(of rule: Rule<SanctuarySubject>, on subject: SanctuarySubject) {
        self.init(rule: rule.id, capabilities: Set(subject.services.capabilities.map(\.tag)))
    }
}
