/// Notes which calls of the candidate are under way, so that it is known after an end that nobody could tell of: one binary
/// means that a trap in the candidate takes everything along.
///
/// Both are called around each call that reaches the candidate, in the shadow too, and before it is reached. They must not
/// wait, allocate or fail.
public protocol CandidateCallLog: Sendable {
    func began()
    func ended()
}
