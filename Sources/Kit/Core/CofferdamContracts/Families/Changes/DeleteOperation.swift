import Cofferdam

/// An operation of a port that deletes an entity, described for the rule MUT-02.
public struct DeleteOperation<Subject: Sendable, ID: Sendable & Hashable, Entity: Sendable & Hashable>: RuleFamily {
    let call: PortCall<Subject, ID, Void>
    let get: PortCall<Subject, ID, Entity>
    let isNotFound: @Sendable (any Error) -> Bool
    let seed: @Sendable (Subject) async throws -> [ID]
    let second: SecondDelete
    let requires: Set<CapabilityTag>

    /// What the port does when a deleted entity is deleted again.
    public enum SecondDelete: Sendable, Hashable {
        /// The call succeeds and does nothing.
        case succeeds
        case notFound
    }

    /// Describes a deletion.
    ///
    /// - Parameters:
    ///   - requires: the capabilities of adapters that can delete.
    ///   - seed: prepares the vendor and returns at least two entities to delete.
    public init(
        call: PortCall<Subject, ID, Void>,
        get: PortCall<Subject, ID, Entity>,
        second: SecondDelete,
        requires: Set<CapabilityTag> = [],
        isNotFound: @escaping @Sendable (any Error) -> Bool,
        seed: @escaping @Sendable (Subject) async throws -> [ID]
    ) {
        self.call = call
        self.get = get
        self.second = second
        self.requires = requires
        self.isNotFound = isNotFound
        self.seed = seed
    }

    /// The rule MUT-02.
    public var rules: [Rule<Subject>] { [gone] }

    private var gone: Rule<Subject> {
        Rule(
            "MUT-02",
            "A deleted entity is gone at once, deleting it again behaves as the port documents, and no other entity changes",
            requires: requires
        ) { subject, _ in
            var findings = Findings()
            var left = try await seed(subject)
            findings.expect(left.count >= 2, "only \(left.count) entities to delete")
            while let id = left.popLast() {
                _ = try await get(subject, id)
                try await call(subject, id)
                await findings.expectError("notFound", "\(get.name) \(id), deleted", where: isNotFound) {
                    try await get(subject, id)
                }
                switch second {
                case .succeeds: try await call(subject, id)
                case .notFound:
                    await findings.expectError("notFound", "\(call.name) \(id), again", where: isNotFound) {
                        try await call(subject, id)
                    }
                }
                for other in left { _ = try await get(subject, other) }
            }
            return findings.violations
        }
    }

    /// The mutants that break MUT-02.
    public var mutants: [Mutant<Subject>] { [returnsCached, secondOtherwise] }

    private var returnsCached: Mutant<Subject> {
        Mutant("MUT-02", "returns its cached copy") { subject, effect in
            let cache = Mutex<[ID: Entity]>([:])
            return get.replaced(in: subject) { clean, id in
                do {
                    let entity = try await clean(id)
                    cache.withLock { $0[id] = entity }
                    return entity
                } catch  where isNotFound(error) {
                    guard let cached = cache.withLock({ $0[id] }) else { throw error }
                    effect.occurred()
                    return cached
                }
            }
        }
    }

    private var secondOtherwise: Mutant<Subject> {
        Mutant("MUT-02", "handles a second deletion unlike the port documents") { subject, effect in
            let deleted = Mutex<Set<ID>>([])
            return call.replaced(in: subject) { clean, id in
                guard deleted.withLock({ !$0.insert(id).inserted }) else { return try await clean(id) }
                effect.occurred()
                if second == .succeeds { _ = try await get(subject, id) }
            }
        }
    }
}
