/// Logs the candidate's calls in flight, so that they are known after a crash: in one binary, a trap in the candidate
/// ends the whole process.
///
/// Each call to the candidate is logged before it begins and after it ends, including shadow calls and the opening of
/// the candidate. The methods must not wait, allocate or fail.
public protocol CandidateCallLog: Sendable {
    /// Called before the call begins.
    func began(_ call: CandidateCall)
    /// Called after the call has ended.
    func ended(_ call: CandidateCall)
    /// Called before a call of the legacy side begins that a caller waits for: an app that ends by itself does so on both
    /// sides, and is no fault of one of them.
    ///
    /// - Parameter isUnitsOnlyCall: whether the session has no other call of this kind in flight.
    func beganLegacy(isUnitsOnlyCall: Bool)
    /// Called after such a call has ended.
    func endedLegacy(isUnitsOnlyCall: Bool)
}

extension CandidateCallLog {
    /// Does nothing by default.
    public func beganLegacy(isUnitsOnlyCall: Bool) {}
    /// Does nothing by default.
    public func endedLegacy(isUnitsOnlyCall: Bool) {}
}

/// A call of the candidate that begins or ends.
public struct CandidateCall: Sendable, Hashable {
    /// Whose call it is.
    package var kind: Kind
    /// Whether the session has no other call of this kind in flight. Always false without a unit.
    package var isUnitsOnlyCall: Bool

    /// Creates a value from its parts.
    public init(_ kind: Kind = .answering, isUnitsOnlyCall: Bool) {
        self.kind = kind
        self.isUnitsOnlyCall = isUnitsOnlyCall
    }

    /// Whose call it is.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// Its caller waits for the answer.
        case answering
        /// The same for a named unit, which is counted separately: see <doc:OperatingAnUpgrade#Named-units>.
        case named
        /// A shadow call: no caller waits for it.
        case shadow

        static func answering(isNamed: Bool) -> Kind { isNamed ? .named : .answering }
    }
}
