import Cofferdam
public import struct Synchronization.Atomic  // counted where calls are inlined

/// A user, or a device, for as long as it is at work: the unit that is on one side.
///
/// The side is chosen when the session begins. A stage that sends the unit on to the candidate holds for it from the next
/// session, or from ``settle()``, because a unit crosses over only while it rests; one that takes it back holds for its next
/// call, and calls that are under way end where they are.
public final class UnitSession: Sendable {
    /// The user's or the device's name; nil for nobody, who is neither admitted nor sampled.
    public let unit: String?
    @usableFromInline let control: StageControl
    private let watching: Int
    private let gateBucket: Int?
    private let samplingBucket: Int?
    private let state: Mutex<State>
    /// ``SessionDecision/word`` of the newest decision, once nothing of it is to be watched any more.
    @usableFromInline let newest = Atomic<UInt64>(0)
    @usableFromInline let callsInFlight = Atomic<Int>(0)
    private let candidateCalls = Atomic<Int>(0)
    private let shadowCalls = Atomic<Int>(0)
    private let watchers = Watchers()
    let writes: CandidateWrites

    private struct State {
        /// Where the unit was sent when it last rested.
        var settled: Side
        /// How many calls are to be watched before they may go directly.
        var unwatched = 0
        var decision: SessionDecision?
    }

    /// Whether the unit's calls are told to the evidence.
    @usableFromInline let isWatched: Bool

    /// How many of a unit's first calls are timed where nothing else is said.
    public static let watchedCalls = 8

    /// - Parameter watching: how many of its first calls, after each change of the stage, are timed for the evidence, beside the first
    ///   one of each operation; from then on those that need not be compared just go to their side, and only failures and errors
    ///   that are answers are told. 0 for a unit that is not watched at all.
    public init(unit: String?, control: StageControl, bucketing: Bucketing, watching: Int = watchedCalls) {
        self.unit = unit
        self.control = control
        writes = CandidateWrites(of: unit)
        self.watching = unit == nil ? 0 : max(0, watching)
        isWatched = self.watching > 0
        gateBucket = unit.map { bucketing.bucket(of: $0) }
        samplingBucket = unit.map { bucketing.bucket(of: $0, for: .sampling) }
        let side = Self.side(at: control.state.stage(), bucket: gateBucket)
        state = Mutex(State(settled: side))
    }

    /// The side that answers the unit's next call, where an operation has no stage of its own.
    public var side: Side { decision().side }

    /// How many of its calls are under way.
    public var inFlight: Int { callsInFlight.load(ordering: .acquiring) }

    /// Sends the unit where the stage wants it, if none of its calls is under way.
    ///
    /// - Returns: whether it is there.
    @discardableResult
    public func settle() -> Bool { settle(onlyTo: nil) }

    /// As ``settle()``.
    ///
    /// - Parameter target: if the stage wants the unit elsewhere by now, it stays where it is, and is not there.
    func settle(onlyTo target: Side?) -> Bool {
        var hasMoved = false
        defer { if hasMoved { watchers.tell() } }
        return state.withLock { state in
            let side = wantedSide
            if let target, side != target { return false }
            guard state.settled != side else { return true }
            // A call counts itself before it looks for a decision. So either it is seen here, or it finds none and waits for
            // the lock: both orders must be the same for everybody.
            state.decision = nil
            newest.store(0, ordering: .sequentiallyConsistent)
            guard callsInFlight.load(ordering: .sequentiallyConsistent) == 0 else { return false }
            state.settled = side
            hasMoved = true
            return true
        }
    }

    /// Where the stage wants the unit.
    var wantedSide: Side { Self.side(at: control.state.stage(), bucket: gateBucket) }

    // MARK: For a route

    /// A call of the candidate begins.
    func candidateCallBegan(inShadow: Bool) -> CandidateCall {
        let count =
            inShadow
            ? shadowCalls.wrappingAdd(1, ordering: .relaxed).newValue
            : candidateCalls.wrappingAdd(1, ordering: .relaxed).newValue
        return CandidateCall(isShadow: inShadow, isUnitsOnly: count == 1 && unit != nil)
    }

    /// It has ended.
    func candidateCallEnded(inShadow: Bool) -> CandidateCall {
        let count =
            inShadow
            ? shadowCalls.wrappingSubtract(1, ordering: .relaxed).newValue
            : candidateCalls.wrappingSubtract(1, ordering: .relaxed).newValue
        return CandidateCall(isShadow: inShadow, isUnitsOnly: count == 0 && unit != nil)
    }

    /// Calls `body` whenever ``streamSide(for:)`` may have become another, until the tokens are released.
    func watch(_ body: @escaping @Sendable () -> Void) -> [ListenerToken] {
        [watchers.add(body), control.watch(body)]
    }

    /// Where the unit's streams are to be.
    func streamSide(for operation: String?) -> StreamSide {
        let decision = decision(for: operation)
        return StreamSide(
            side: decision.side,
            mayStay: decision.stage.opens(decision.side == .legacy ? .candidate : .legacy),
            atOnce: control.state.kill.map { $0.target != .freeze } ?? false
        )
    }

    /// The side that alone answers every call now, if no call is to be watched, may fall back, or goes elsewhere.
    @inlinable
    func directWay() -> DirectWay? {
        let word = newest.load(ordering: .sequentiallyConsistent)
        guard word >> 3 == control.generation.load(ordering: .acquiring) else { return nil }
        return DirectWay(word: word)
    }

    /// Of the newest state.
    @inlinable
    var generation: UInt64 { control.generation.load(ordering: .acquiring) }

    /// What holds for a call of that operation that begins now, of which its route tells; and whether it is one of the session's
    /// first ones.
    func decision(watching operation: String?) -> (decision: SessionDecision, isFirst: Bool) {
        state.withLock { state in
            let decision = decided(&state)
            let isFirst = state.unwatched > 0
            if isFirst { state.unwatched -= 1 }
            if state.unwatched == 0 { newest.store(decision.word, ordering: .releasing) }
            return (decision.overridden(for: operation), isFirst)
        }
    }

    /// What holds now.
    func decision(for operation: String? = nil) -> SessionDecision {
        state.withLock { decided(&$0).overridden(for: operation) }
    }

    private func decided(_ state: inout State) -> SessionDecision {
        let generation = control.generation.load(ordering: .acquiring)
        if let decision = state.decision, decision.generation == generation { return decision }
        let (now, sampling) = control.stateAndSampling
        let stage = now.stage()
        // A kill switch takes the unit along at once, to either side.
        let wanted = Self.side(at: stage, bucket: gateBucket)
        let isForced = now.kill.map { $0.target != .freeze } ?? false
        if wanted == .legacy || isForced { state.settled = wanted }
        let decision = SessionDecision(
            generation: generation,
            stage: stage,
            epoch: now.epoch,
            side: state.settled,
            sample: sample(at: stage, by: sampling),
            overrides: (isForced ? [:] : now.overrides).mapValues { stage in
                SessionDecision(
                    generation: generation,
                    stage: stage,
                    epoch: now.epoch,
                    side: Self.side(at: stage, bucket: gateBucket),
                    sample: sample(at: stage, by: sampling)
                )
            }
        )
        state.decision = decision
        state.unwatched = watching
        return decision
    }

    @inlinable
    func began() { callsInFlight.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    @inlinable
    func ended() { callsInFlight.wrappingSubtract(1, ordering: .acquiringAndReleasing) }

    private static func side(at stage: Stage, bucket: Int?) -> Side {
        if case .canary(let share) = stage {
            return bucket.map { $0 < share.tenThousandths } ?? false ? .candidate : .legacy
        }
        return stage.side ?? .legacy
    }

    private func sample(at stage: Stage, by sampling: Sampling) -> RoutedCall.Sample? {
        sampling.sample(at: stage).map { share in
            RoutedCall.Sample(share: share, isIn: samplingBucket.map { $0 < share.tenThousandths } ?? false)
        }
    }
}

extension Stage {
    /// Whether that side may be open at all.
    func opens(_ side: Side) -> Bool { opensBothSides || self.side == side }
}
