/// An irregular way in which a vendor calls back.
public enum CallbackQuirk: String, Sendable, Hashable, CaseIterable {
    /// Twice, with the answer each time.
    case twice
    /// Not at all; the callback is freed.
    case never
    /// With an error, before the call has returned.
    case atOnce
}
