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
    /// Whose call it is.
    public var kind: Kind
    /// Whether no other call of its kind is under way in its unit's session. Never so for a call of no unit.
    public var isUnitsOnly: Bool

    public init(_ kind: Kind = .answering, isUnitsOnly: Bool) {
        self.kind = kind
        self.isUnitsOnly = isUnitsOnly
    }

    /// Whose call it is.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// Its caller waits for the answer.
        case answering
        /// The same, of a named unit, which counts apart: see ``NamedUnits``.
        case named
        /// No caller waits for it: it is made to be compared.
        case shadow

        static func answering(isNamed: Bool) -> Kind { isNamed ? .named : .answering }
    }
}
