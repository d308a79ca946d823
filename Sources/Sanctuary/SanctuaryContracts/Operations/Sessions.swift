import CofferdamContracts
import SanctuaryDomain
import SanctuaryOperations

/// The user's session, and the calls that need it.
enum Sessions {
    static let operation = AuthenticationOperation<SanctuarySubject>(
        calls: ProbedCalls.signedIn,
        streams: [
            AnyPortCall("message events") { subject in
                try await collect(subject.services.messages.events()) { _ in true }
            }
        ],
        session: .init(
            signIn: { try await $0.signIn() },
            signInWrongly: { subject in
                var wrong = subject.credentials
                wrong.password += "!"
                _ = try await subject.services.accounts.signIn(wrong)
            },
            signOut: { try await $0.services.accounts.signOut() },
            isSignedIn: { subject in
                if case .signedIn = try await subject.services.accounts.state() { true } else { false }
            }
        ),
        vendor: .init(
            reset: { try await $0.prepareSeeded() },
            expire: { try await $0.probe.expireAccessTokens() },
            revoke: { try await $0.probe.revokeSessions() },
            refreshes: { try await $0.probe.calls(of: .refresh) },
            injectOnRefresh: { try await $0.probe.inject($1, on: .refresh, times: $2) }
        ),
        held: .vendor,
        sessionRefresh: Capability.sessionRefresh.tag,
        isAuthenticationRequired: { SanctuaryError.isCode(.authenticationRequired, $0) },
        isForbidden: { SanctuaryError.isCode(.forbidden, $0) }
    )

    static let mutants = operation.mutants + [signsInAnybody]

    private static let signsInAnybody = Mutant<SanctuarySubject>(
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
