/// A user's session across a relaunch of the app, described for the rule LIFE-06.
public struct RelaunchedSession<Subject: Sendable>: RuleFamily {
    let opening: Opening<Subject>
    let signIn: @Sendable (Subject) async throws -> Void
    let signOut: @Sendable (Subject) async throws -> Void
    let user: PortCall<Subject, Void, String?>
    let call: AnyPortCall<Subject>

    /// Describes a session that outlives the app's process.
    ///
    /// - Parameters:
    ///   - signIn: empties the vendor and signs in.
    ///   - user: returns the signed-in user, as the port says; nil if there is none.
    ///   - call: a call that needs the session.
    public init(
        opening: Opening<Subject>,
        signIn: @escaping @Sendable (Subject) async throws -> Void,
        signOut: @escaping @Sendable (Subject) async throws -> Void,
        user: PortCall<Subject, Void, String?>,
        call: AnyPortCall<Subject>
    ) {
        self.opening = opening
        self.signIn = signIn
        self.signOut = signOut
        self.user = user
        self.call = call
    }

    /// LIFE-06.
    public var rules: [Rule<Subject>] {
        [
            Rule(
                "LIFE-06",
                "A session survives a relaunch, and so does signing out",
                harnessCapabilities: opening.relaunchHarnessCapabilities
            ) { subject, _ in
                guard let reopen = opening.reopen else { return [.undescribed(.relaunch, "reopen")] }
                var findings = Findings()
                try await signIn(subject)
                guard let before = try await user(subject, ()) else {
                    findings.add("signed in, and the port reports no user")
                    return findings.violations
                }
                let second = try await reopen(subject, ())
                findings.expectEqual(try await user(second, ()), before, "who is signed in after a relaunch")
                await findings.expectSuccess("\(call.name) after a relaunch") { try await call(second) }
                try await signOut(second)
                let third = try await reopen(second, ())
                findings.expectEqual(
                    try await user(third, ()),
                    nil,
                    "who is signed in after signing out and a relaunch"
                )
                return findings.violations
            }
        ]
    }

    /// The mutants that break LIFE-06.
    public var mutants: [Mutant<Subject>] {
        guard let reopen = opening.reopen else { return [] }
        return [
            Mutant("LIFE-06", "keeps the session in memory only") { subject, effect in
                reopen.replaced(in: subject) { clean, _ in
                    let other = try await clean(())
                    try await signOut(other)
                    effect.occurred()
                    return other
                }
            }
        ]
    }
}
