/// What an operation does to the world: it decides which side a router may ask, and which rules hold for it.
public enum Effect: String, Sendable, Hashable, CaseIterable, Codable {
    /// Changes nothing. It may be called in the shadow, and once more on the other side.
    case read
    /// Changes something, and a second time, on whichever side, nothing more. Never called in the shadow; repeated on the
    /// other side only where both sides have one backend.
    case idempotent
    /// Changes something each time. Never called in the shadow; tried on the other side only where the first has provably
    /// sent nothing, and both have one backend.
    case write
    /// Belongs to a session or a device: one side alone has it, and no other is asked, whatever happens.
    case exclusive
}
