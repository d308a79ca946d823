import Cofferdam

/// An operation whose answer is cached and fetched again only if it has changed, described for the rule GET-08.
public struct ConditionalGet<Subject: Sendable, Input: Sendable & Hashable, Entity: Sendable & Hashable>: RuleFamily {
    let call: PortCall<Subject, Input, Entity>
    let seed: @Sendable (Subject) async throws -> GetSample<Input, Entity>
    let change: @Sendable (Subject, Input) async throws -> Entity
    let evidence: @Sendable (Subject) async throws -> Evidence
    let emptied: @Sendable (Entity) -> Entity
    let capability: CapabilityTag

    /// What the vendor has sent and received so far.
    public struct Evidence: Sendable, Hashable {
        var validators: Int
        var bytes: Int

        /// Counts the requests that carried a validator, and the bytes of the bodies sent.
        public init(validators: Int, bytes: Int) {
            self.validators = validators
            self.bytes = bytes
        }
    }

    /// Describes a conditional read.
    ///
    /// - Parameters:
    ///   - capability: the capability of adapters that cache answers.
    ///   - seed: empties the vendor and adds one entity.
    ///   - change: changes the entity and returns the new one.
    ///   - evidence: returns how many requests carried a validator, and how many bytes of entities the vendor has
    ///     sent.
    ///   - emptied: the entity without its content: what a careless adapter makes of "not modified".
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

    /// The mutants that break GET-08.
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
