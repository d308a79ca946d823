#if Sandbox
import CofferdamContracts
import SanctuaryContracts
import SanctuaryDomain
import Testing

/// Checks tapes of the vendor's SDKs with the embedded service.
@Suite(.serialized, .timeLimit(.minutes(5))) struct TapedServicesTests {
    private let redaction = TapeRedaction.sanctuary

    @Test(arguments: ["v1", "v2", "fake"])
    func `a session over all six ports is replayed from the tape, word for word`(_ adapter: String) async throws {
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

    private static let operations: Set<String> = [
        "services", "close", "catalogue.animals", "catalogue.animal", "photos.photo",
        "accessories.accessories", "accessories.accessory events", "accessories.scan", "accessories.activate",
        "accessories.release", "accessories.perform", "accessories.nicknames", "accessories.setNickname",
        "orders.orders", "orders.order", "orders.place", "messages.messages", "messages.send",
        "messages.message events",
        "accounts.state", "accounts.signIn", "accounts.signOut",
    ]
}
#endif
