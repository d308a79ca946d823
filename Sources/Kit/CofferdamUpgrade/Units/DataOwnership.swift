/// Whether both sides of a capability have the same data.
public enum DataOwnership: String, Sendable, Hashable, CaseIterable, Codable {
    /// One backend behind both: what is written on one side is read on the other.
    case shared
    /// Each side has data of its own. A unit's reads and writes stay together: what it changes is tried on its own side alone,
    /// even if nothing was sent, and from its first write on the candidate's side nothing of it is read from the legacy side.
    /// No operation has a stage of its own, whatever ``StageState/overrides`` says.
    ///
    /// Before such a unit goes back to the legacy side, the app must migrate what it wrote: without that migration, choose no
    /// stage that lets units write on the candidate's side.
    case separate
}
