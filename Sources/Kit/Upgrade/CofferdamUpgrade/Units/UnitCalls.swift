import Cofferdam
import struct Synchronization.Atomic

/// The calls of a ``UnitSession``, apart from it: a call in flight refers only to its decision, which refers to them.
final class UnitCalls: Sendable {
    let unit: String?
    /// Identifies the unit in the evidence, or the session if there is none: sign-in must not fail unseen.
    let key: UInt64
    /// Whether they are recorded as evidence.
    let isWatched: Bool
    let writes: CandidateWrites
    /// Changes only under the lock of the session, so it needs no exchange.
    private let begun = Atomic<Int>(0)
    private let over = Atomic<Int>(0)
    private let candidateCalls = Atomic<Int>(0)
    private let namedCalls = Atomic<Int>(0)
    private let shadowCalls = Atomic<Int>(0)
    private let legacyCalls = Atomic<Int>(0)

    init(of unit: String?, isWatched: Bool) {
        (self.unit, self.isWatched) = (unit, isWatched)
        key = unit.map(UnitKey.key(of:)) ?? .random(in: .min ... .max)
        writes = CandidateWrites(of: unit)
    }

    /// The number of calls in flight; exact under the lock of the session.
    var inFlight: Int {
        let over = over.load(ordering: .acquiring)
        return begun.load(ordering: .relaxed) - over
    }

    /// Records the beginning of a call, under the lock of the session; ``end()`` follows.
    func begin() { begun.store(begun.load(ordering: .relaxed) + 1, ordering: .relaxed) }

    func end() { over.wrappingAdd(1, ordering: .releasing) }

    /// Records the beginning of a call to the candidate.
    func candidateCallBegan(_ kind: CandidateCall.Kind) -> CandidateCall {
        CandidateCall(kind, isUnitsOnlyCall: add(1, kind) == 1 && unit != nil)
    }

    /// Records the end of a call to the candidate. Its kind is the one with which it began.
    func candidateCallEnded(_ kind: CandidateCall.Kind) -> CandidateCall {
        CandidateCall(kind, isUnitsOnlyCall: add(-1, kind) == 0 && unit != nil)
    }

    /// Records the beginning of a call to the legacy side.
    ///
    /// - Returns: whether the unit has no other one in flight.
    func legacyCallBegan() -> Bool {
        legacyCalls.wrappingAdd(1, ordering: .relaxed).newValue == 1 && unit != nil
    }

    /// Records its end.
    ///
    /// - Returns: whether the unit has none in flight any more.
    func legacyCallEnded() -> Bool {
        legacyCalls.wrappingSubtract(1, ordering: .relaxed).newValue == 0 && unit != nil
    }

    /// - Returns: the number of calls of that kind that are now in flight.
    private func add(_ count: Int, _ kind: CandidateCall.Kind) -> Int {
        switch kind {
        case .answering: candidateCalls.wrappingAdd(count, ordering: .relaxed).newValue
        case .named: namedCalls.wrappingAdd(count, ordering: .relaxed).newValue
        case .shadow: shadowCalls.wrappingAdd(count, ordering: .relaxed).newValue
        }
    }
}
