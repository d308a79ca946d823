/// A user's session over a relaunch of the app: what the rule LIFE-06 needs to know of it.
public struct RelaunchedSession<Subject: Sendable>: RuleFamily {
    let opening: Opening<Subject>
    /// Empties the vendor, and signs in.
    let signIn: @Sendable (Subject) async throws -> Void
    let signOut: @Sendable (Subject) async throws -> Void
    /// Who is signed in, as the port tells; nil: no user.
    let user: PortCall<Subject, Void, String?>
    /// A call that needs the session.
    let call: AnyPortCall<Subject>

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
                guard let reopen = opening.reopen else { return [] }
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

    /// Those of LIFE-06.
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

/// A write over a relaunch of the app: what the rule LIFE-07 needs to know of it.
public struct RelaunchedWrite<Subject: Sendable, Draft: Sendable, Entity: Sendable & Hashable>: RuleFamily {
    /// Writes once for each key, as far as the port promises it.
    let call: PortCall<Subject, Draft, Entity>
    let opening: Opening<Subject>
    /// Empties the vendor, signs in, and returns what is to be written, with its key.
    let prepare: @Sendable (Subject) async throws -> Draft
    /// The same with another key: what a mutant sends that has forgotten it.
    let another: @Sendable (Draft) -> Draft
    /// From now on writes are carried out and their answers lost, or no longer.
    let loseAnswers: @Sendable (Subject, Bool) async throws -> Void
    /// What the vendor has of such writes.
    let written: @Sendable (Subject) async throws -> [Entity]
    /// Whether the port says by this error that the write was made before; nil: it answers with what was made.
    let isMadeBefore: (@Sendable (any Error) -> Bool)?

    public init(
        call: PortCall<Subject, Draft, Entity>,
        opening: Opening<Subject>,
        prepare: @escaping @Sendable (Subject) async throws -> Draft,
        another: @escaping @Sendable (Draft) -> Draft,
        loseAnswers: @escaping @Sendable (Subject, Bool) async throws -> Void,
        written: @escaping @Sendable (Subject) async throws -> [Entity],
        isMadeBefore: (@Sendable (any Error) -> Bool)? = nil
    ) {
        self.call = call
        self.opening = opening
        self.prepare = prepare
        self.another = another
        self.loseAnswers = loseAnswers
        self.written = written
        self.isMadeBefore = isMadeBefore
    }

    /// LIFE-07.
    public var rules: [Rule<Subject>] {
        [
            Rule(
                "LIFE-07",
                "A write's key survives a relaunch: repeating the write after a lost answer creates no duplicate",
                harnessCapabilities: opening.relaunchHarnessCapabilities
            ) { subject, _ in
                guard let reopen = opening.reopen else { return [] }
                var findings = Findings()
                let draft = try await prepare(subject)
                try await loseAnswers(subject, true)
                await findings.expectError("an error", "\(call.name), its answer lost", where: { _ in true }) {
                    try await call(subject, draft)
                }
                try await loseAnswers(subject, false)
                let other = try await reopen(subject, ())
                do {
                    let entity = try await call(other, draft)
                    findings.expectEqual(try await written(other), [entity], "what is there after the repeat")
                } catch {
                    findings.expect(
                        isMadeBefore?(error) ?? false,
                        "\(call.name), repeated after a relaunch: got \(error)"
                    )
                    findings.expectEqual(try await written(other).count, 1, "how many there are after the repeat")
                }
                return findings.violations
            }
        ]
    }

    /// Those of LIFE-07.
    public var mutants: [Mutant<Subject>] {
        guard let reopen = opening.reopen else { return [] }
        return [
            Mutant("LIFE-07", "forgets at a relaunch which keys it sent") { subject, effect in
                reopen.replaced(in: subject) { clean, _ in
                    call.replaced(in: try await clean(())) { clean, draft in
                        effect.occurred()
                        return try await clean(another(draft))
                    }
                }
            }
        ]
    }
}
