import CofferdamContracts
import SanctuaryDomain
import SanctuaryOperations

/// Rules for the user's session and the calls that need it.
enum Sessions {
    static let operation = AuthenticationOperation<SanctuarySubject>(
        calls: ProbedCalls.signedIn,
        streams: [
            UserStream(
                Streams.messages.stream,
                send: { _ = try await $0.probe.postMessage(author: "kenji", text: "an event") },
                waitForSubscribers: { try await $0.probe.waitForSubscribers(of: .messages, exactly: $1) }
            )
        ],
        detours: [
            .init(
                "waiting for a stream that is being opened",
                calls: [SanctuaryCalls.send.name],
                block: { subject in
                    try await subject.probe.inject(.hold, on: .messageEvents, times: 4)
                    let events = subject.services.messages.events()
                    let task = Task { for try await _ in events {} }
                    try await subject.probe.waitForHeld(exactly: 1)
                    return { task.cancel() }
                },
                // Sending a message waits one to five seconds for the stream. What has passed of it when the clock sees
                // the sleeper is missing.
                wait: { subject in
                    guard subject.hasDeadlines else { throw UnmetRequirements(harnessCapabilities: [.adjustableClock]) }
                    try await subject.clock.waitForSleeper(for: .milliseconds(500)...(.seconds(5)))
                }
            )
        ],
        session: .init(
            signIn: { try await $0.signIn() },
            signInWithWrongPassword: { subject in
                var wrong = subject.credentials
                wrong.password += "!"
                _ = try await subject.services.accounts.signIn(wrong)
            },
            signOut: { try await $0.services.accounts.signOut() },
            isSignedIn: { subject in
                if case .signedIn = try await subject.services.accounts.state() { true } else { false }
            },
            shown: { "\(try await $0.services.accounts.state())" },
            another: .init(
                kenji,
                signIn: signInKenji,
                signInWithWrongPassword: { subject in
                    let wrong = Credentials(user: kenji, password: subject.credentials.password + "!")
                    _ = try await subject.services.accounts.signIn(wrong)
                }
            )
        ),
        vendor: .init(
            reset: { try await $0.prepareSeeded() },
            expire: { try await $0.probe.expireAccessTokens() },
            revoke: { try await $0.probe.revokeSessions() },
            refreshes: { try await $0.probe.calls(of: .refresh) },
            injectOnRefresh: { try await $0.probe.inject($1, on: .refresh, times: $2) },
            signOut: .init(
                call: PortCall(AccountsOperations.signOut, at: .accounts),
                inject: { try await $0.probe.inject($1, on: .signOut, times: $2) },
                outlast: { subject in
                    guard subject.hasDeadlines else { throw UnmetRequirements(harnessCapabilities: [.adjustableClock]) }
                    // A vendor that does not answer a sign-out is given up after at most five seconds.
                    try await subject.clock.waitForSleeper(for: .milliseconds(500)...(.seconds(5)))
                    subject.clock.advance(by: .seconds(6))
                }
            )
        ),
        held: .vendor,
        sessionRefresh: Capability.sessionRefresh.tag,
        isAuthenticationRequired: { SanctuaryError.isCode(.authenticationRequired, $0) },
        isForbidden: { SanctuaryError.isCode(.forbidden, $0) },
        isOutcomeUnknown: { SanctuaryError.isCode(.outcomeUnknown, $0) },
        outlast: { try await $0.outlastDeadline() }
    )

    static let kenji = "kenji"

    @Sendable static func signInKenji(on subject: SanctuarySubject) async throws {
        let credentials = Credentials(user: kenji, password: subject.credentials.password)
        _ = try await subject.services.accounts.signIn(credentials)
    }

    static let mutants = operation.mutants + [ignoresPasswords, signsOutOnRefusal]

    private static let signsOutOnRefusal = Mutant<SanctuarySubject>(
        "AUTH-13",
        "signs out the current user when another sign-in is refused"
    ) { subject, effect in
        PortPlace.accounts.replacing(AccountsOperations.signIn, in: subject) { clean, credentials in
            do {
                return try await clean(credentials)
            } catch  where SanctuaryError.isCode(.authenticationRequired, error) {
                effect.occurred()
                try await subject.services.accounts.signOut()
                throw error
            }
        }
    }

    private static let ignoresPasswords = Mutant<SanctuarySubject>(
        "AUTH-10",
        "signs in with any password"
    ) { subject, effect in
        let right = subject.credentials
        return PortPlace.accounts.replacing(AccountsOperations.signIn, in: subject) { clean, credentials in
            if credentials != right { effect.occurred() }
            return try await clean(right)
        }
    }
}
