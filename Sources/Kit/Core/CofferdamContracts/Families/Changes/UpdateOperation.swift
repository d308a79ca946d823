import Cofferdam

/// An operation of a port that changes an entity, described for the rules MUT-03 and MUT-05.
public struct UpdateOperation<Subject: Sendable, Change: Sendable, Entity: Sendable & Hashable>: RuleFamily {
    let call: PortCall<Subject, Change, Void>
    let read: PortCall<Subject, Void, [Entity]>
    let prepare: @Sendable (Subject) async throws -> [Change]
    let changed: @Sendable (Change, [Entity]) -> [Entity]
    let comparable: @Sendable (Entity) -> Entity
    let overwritten: @Sendable (Entity) -> Entity
    let stale: StaleChange<Subject, Change>?

    /// Describes an update.
    ///
    /// - Parameters:
    ///   - read: reads all entities, in an order that a change keeps; sorted if the port promises none.
    ///   - prepare: prepares the vendor and returns changes to make one after the other.
    ///   - changed: all entities as they must be after a change; fields that the vendor sets itself may have any value.
    ///   - comparable: the entity without the fields that the vendor sets itself on a change: a date, a version.
    ///   - overwritten: the entity with defaults in the fields that no change names.
    public init(
        call: PortCall<Subject, Change, Void>,
        read: PortCall<Subject, Void, [Entity]>,
        prepare: @escaping @Sendable (Subject) async throws -> [Change],
        changed: @escaping @Sendable (Change, [Entity]) -> [Entity],
        comparable: @escaping @Sendable (Entity) -> Entity = { $0 },
        overwritten: @escaping @Sendable (Entity) -> Entity,
        stale: StaleChange<Subject, Change>? = nil
    ) {
        self.call = call
        self.read = read
        self.prepare = prepare
        self.changed = changed
        self.comparable = comparable
        self.overwritten = overwritten
        self.stale = stale
    }

    /// MUT-03, and MUT-05 if a change can be `stale`.
    public var rules: [Rule<Subject>] { [othersUnchanged] + (stale.map { [staleIsConflict($0)] } ?? []) }

    private var othersUnchanged: Rule<Subject> {
        Rule("MUT-03", "Updating one field changes no other field and no other entity") { subject, _ in
            var findings = Findings()
            for change in try await prepare(subject) {
                let before = try await read(subject, ())
                try await call(subject, change)
                let after = try await read(subject, ())
                let expected = changed(change, before)
                findings.expectEqual(after.map(comparable), expected.map(comparable), "after \(call.name) \(change)")
                findings.expect(expected != before, "\(call.name) \(change) changes nothing")
            }
            return findings.violations
        }
    }

    private func staleIsConflict(_ stale: StaleChange<Subject, Change>) -> Rule<Subject> {
        Rule(
            "MUT-05",
            "An update based on an outdated version is a conflict, and changes nothing",
            requires: stale.capability.map { [$0] } ?? []
        ) { subject, _ in
            var findings = Findings()
            for change in try await prepare(subject) {
                let outdated = try await stale.outdated(subject, change)
                let before = try await read(subject, ())
                await findings.expectError("a conflict", "\(call.name) \(outdated)", where: stale.isConflict) {
                    try await call(subject, outdated)
                }
                findings.expectEqual(try await read(subject, ()), before, "after the conflict")
            }
            return findings.violations
        }
    }

    /// At least one for each of the ``rules``.
    public var mutants: [Mutant<Subject>] { [overwrites] + (stale.map { [lastWriteWins($0)] } ?? []) }

    private var overwrites: Mutant<Subject> {
        Mutant("MUT-03", "overwrites all fields with defaults") { subject, effect in
            let hasChanged = Mutex(false)
            let changing = call.replaced(in: subject) { clean, change in
                try await clean(change)
                hasChanged.withLock { $0 = true }
            }
            return read.replaced(in: changing) { clean, _ in
                let entities = try await clean(())
                guard hasChanged.withLock({ $0 }) else { return entities }
                return entities.map { effect.changing($0, to: overwritten($0)) }
            }
        }
    }

    private func lastWriteWins(_ stale: StaleChange<Subject, Change>) -> Mutant<Subject> {
        Mutant("MUT-05", "lets the last write win") { subject, effect in
            call.replaced(in: subject) { clean, change in
                do {
                    try await clean(change)
                } catch  where stale.isConflict(error) {
                    effect.occurred()
                    try await clean(try await stale.refreshed(subject, change))
                }
            }
        }
    }
}

/// A change of an outdated entity.
public struct StaleChange<Subject: Sendable, Change: Sendable>: Sendable {
    let capability: CapabilityTag?
    let isConflict: @Sendable (any Error) -> Bool
    let outdated: @Sendable (Subject, Change) async throws -> Change
    let refreshed: @Sendable (Subject, Change) async throws -> Change

    /// Describes a change of an outdated entity.
    ///
    /// - Parameters:
    ///   - capability: the capability of adapters whose entities have versions; nil if every adapter's have.
    ///   - outdated: makes another user change the entity; returns the change that a client with outdated data makes.
    ///   - refreshed: the same change, made to the current entity.
    public init(
        capability: CapabilityTag? = nil,
        isConflict: @escaping @Sendable (any Error) -> Bool,
        outdated: @escaping @Sendable (Subject, Change) async throws -> Change,
        refreshed: @escaping @Sendable (Subject, Change) async throws -> Change
    ) {
        self.capability = capability
        self.isConflict = isConflict
        self.outdated = outdated
        self.refreshed = refreshed
    }
}
