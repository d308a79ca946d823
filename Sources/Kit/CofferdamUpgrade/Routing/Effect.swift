/// What an operation does to the world: it decides which sides a router may ask.
public enum Effect: String, Sendable, Hashable, CaseIterable, Codable {
    /// Changes nothing. It may be called in the shadow, and once more on the other side.
    case read
    /// Changes something, and a second time, on whichever side, nothing more. Never called in the shadow; repeated on the
    /// other side only where both have one backend: ``Backing/shared``.
    case idempotent
    /// Changes something each time. Never called in the shadow; tried on the other side only where the first has provably
    /// sent nothing, and both have one backend.
    case write
    /// Belongs to a session or a device: one side alone has it, and no other is asked, whatever happens.
    case exclusive
}

/// Whether both sides of a capability have the same data.
public enum Backing: String, Sendable, Hashable, CaseIterable, Codable {
    /// One backend behind both: what is written on one side is read on the other.
    case shared
    /// Each side has data of its own. A unit's reads and writes stay together: what it changes is tried on its own side alone,
    /// even if nothing was sent, and from its first write on the candidate's side nothing of it is read from the legacy side.
    /// No operation has a stage of its own, whatever ``StageState/overrides`` says.
    ///
    /// Whoever sends it back to the legacy side brings what it wrote there himself: no stage that lets units write on the
    /// candidate's side without a migration back.
    case separate
}
