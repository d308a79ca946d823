#if Sandbox
import SanctuaryContracts
import SanctuaryDomain
import Testing

/// Checks that a stream belongs to the user who requested it, which no rule covers.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SignedOutStreamTests {
    @Test(arguments: ["v1", "v2", "fake"], ["signs out", "is followed by another one"])
    func `messages end with their user's session, accessories do not`(
        _ adapter: String,
        _ user: String
    ) async throws {
        try await withSubject(adapter) { subject in
            let (accounts, probe) = (subject.services.accounts, subject.probe)
            _ = try await accounts.signIn(subject.credentials)
            let messages = subject.services.messages.events()
            let accessories = subject.services.accessories.events()
            try await probe.waitForSubscribers(of: .messages, exactly: 1)
            try await probe.waitForSubscribers(of: .accessories, exactly: 1)
            // Signing in as the same user again does not end the stream.
            _ = try await accounts.signIn(subject.credentials)
            let id = try await probe.postMessage(author: "kenji", text: "still here").id
            var received: [MessageID] = []
            let error = await #expect(throws: SanctuaryError.self) {
                for try await case .received(let message) in messages {
                    received.append(message.id)
                    if user == "signs out" {
                        try await accounts.signOut()
                    } else {
                        _ = try await accounts.signIn(Credentials(user: "kenji", password: "sandbox"))
                    }
                }
            }
            #expect(error?.code == .authenticationRequired)
            #expect(received == [id])
            let accessory = try #require(
                try await subject.services.accessories.accessories().first { $0.battery != nil }
            )
            let battery = try #require(accessory.battery)
            try await probe.updateAccessory(accessory.id, name: "renamed", battery: battery)
            // The suite's time limit bounds this loop.
            for try await event in accessories {
                if case .current = event { continue }
                break
            }
        }
    }
}
#endif
