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

/// A write across a relaunch of the app, described for the rule LIFE-07.
public struct RelaunchedWrite<Subject: Sendable, Draft: Sendable, Entity: Sendable & Hashable>: RuleFamily {
    let call: PortCall<Subject, Draft, Entity>
    let opening: Opening<Subject>
    let prepare: @Sendable (Subject) async throws -> Draft
    let another: @Sendable (Draft) -> Draft
    let loseAnswers: @Sendable (Subject, Bool) async throws -> Void
    let written: @Sendable (Subject) async throws -> [Entity]
    let isMadeBefore: (@Sendable (any Error) -> Bool)?

    /// Describes a write that the app repeats after a relaunch.
    ///
    /// - Parameters:
    ///   - call: writes once for each key, as the port promises.
    ///   - prepare: empties the vendor, signs in, and returns a draft to write, with its key.
    ///   - another: the same draft with another key, as a mutant that forgot the first one sends it.
    ///   - loseAnswers: starts or stops losing the answers to writes, which are still carried out.
    ///   - written: returns the vendor's entities from such writes.
    ///   - isMadeBefore: whether the port's error says that the write was made before; nil if the port answers with
    ///     the entity made then.
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

    /// The mutants that break LIFE-07.
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
