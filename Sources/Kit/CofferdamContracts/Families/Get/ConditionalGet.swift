import Cofferdam

/// An operation whose answer is kept, and asked for again only if it has changed: what the rule GET-08 needs to know of it.
public struct ConditionalGet<Subject: Sendable, Input: Sendable & Hashable, Entity: Sendable & Hashable>: RuleFamily {
    let call: PortCall<Subject, Input, Entity>
    /// Empties the vendor and adds one entity.
    let seed: @Sendable (Subject) async throws -> GetSample<Input, Entity>
    /// Changes the entity; returns it as it is then.
    let change: @Sendable (Subject, Input) async throws -> Entity
    /// How many calls that said which version is kept have reached the vendor, and how many bytes of entities it has sent.
    let evidence: @Sendable (Subject) async throws -> Evidence
    /// The entity without its content: what a careless adapter makes of "not modified".
    let emptied: @Sendable (Entity) -> Entity
    /// What an adapter declares that keeps answers.
    let capability: CapabilityTag

    public struct Evidence: Sendable, Hashable {
        var validators: Int
        var bytes: Int

        public init(validators: Int, bytes: Int) {
            self.validators = validators
            self.bytes = bytes
        }
    }

    public init(
        call: PortCall<Subject, Input, Entity>,
        capability: CapabilityTag = "conditionalGet",
        seed: @escaping @Sendable (Subject) async throws -> GetSample<Input, Entity>,
        change: @escaping @Sendable (Subject, Input) async throws -> Entity,
        evidence: @escaping @Sendable (Subject) async throws -> Evidence,
        emptied: @escaping @Sendable (Entity) -> Entity
    ) {
        self.call = call
        self.capability = capability
        self.seed = seed
        self.change = change
        self.evidence = evidence
        self.emptied = emptied
    }

    /// GET-08.
    public var rules: [Rule<Subject>] { [notModified] }

    private var notModified: Rule<Subject> {
        Rule(
            "GET-08",
            "Unchanged data is not sent again: the adapter sends the version it holds, and returns that one",
            level: .optional,
            requires: [capability]
        ) { subject, _ in
            var findings = Findings()
            let sample = try await seed(subject)
            findings.expectEqual(try await call(subject, sample.input), sample.entity, "the first answer")
            let first = try await evidence(subject)
            findings.expectEqual(try await call(subject, sample.input), sample.entity, "the answer that is kept")
            let second = try await evidence(subject)
            findings.expectEqual(second.validators - first.validators, 1, "calls that say which version is kept")
            findings.expectEqual(second.bytes - first.bytes, 0, "bytes that were sent again")
            let changed = try await change(subject, sample.input)
            findings.expect(changed != sample.entity, "nothing was changed")
            findings.expectEqual(try await call(subject, sample.input), changed, "the answer after a change")
            findings.expectEqual(try await call(subject, sample.input), changed, "the new one, as it is kept")
            return findings.violations
        }
    }

    public var mutants: [Mutant<Subject>] {
        [
            Mutant("GET-08", "returns the empty body of \"not modified\"") { subject, effect in
                let last = Mutex<[Input: Entity]>([:])
                return call.replaced(in: subject) { clean, input in
                    let entity = try await clean(input)
                    let isKept = last.withLock { $0.updateValue(entity, forKey: input) == entity }
                    return isKept ? effect.changing(entity, to: emptied(entity)) : entity
                }
            },
            Mutant("GET-08", "returns its copy without asking") { subject, effect in
                let kept = Mutex<[Input: Entity]>([:])
                return call.replaced(in: subject) { clean, input in
                    if let entity = kept.withLock({ $0[input] }) {
                        effect.occurred()
                        return entity
                    }
                    let entity = try await clean(input)
                    kept.withLock { $0[input] = entity }
                    return entity
                }
            },
        ]
    }
}
