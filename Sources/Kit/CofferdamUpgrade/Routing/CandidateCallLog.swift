/// Notes which calls of the candidate are under way, so that it is known after an end that nobody could tell of: one binary
/// means that a trap in the candidate takes everything along.
///
/// Both are called around each call that reaches the candidate, in the shadow too, and before it is reached. They must not
/// wait, allocate or fail.
public protocol CandidateCallLog: Sendable {
    func began(_ call: CandidateCall)
    func ended(_ call: CandidateCall)
}

/// A call of the candidate that begins or ends.
public struct CandidateCall: Sendable, Hashable {
    /// Whether nobody waits for it: it is made to be compared.
    public var isShadow: Bool
    /// Whether no other call like it is under way in its unit's session. Never so for nobody's, who is no unit.
    public var isUnitsOnly: Bool

    public init(isShadow: Bool = false, isUnitsOnly: Bool) {
        self.isShadow = isShadow
        self.isUnitsOnly = isUnitsOnly
    }
}
