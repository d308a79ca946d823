public import Cofferdam  // operations, sides and differences
import struct Synchronization.Atomic

/// A user, or a device, for as long as it is at work: the unit that is on one side.
///
/// The side is chosen when the session begins. A stage that sends the unit on to the candidate holds for it from the next
/// session, or from ``settle()``, because a unit crosses over only while it rests; one that takes it back holds for its next
/// call, and calls that are under way end where they are.
public final class UnitSession: Sendable {
    /// Tells the sessions of this process apart.
    let number = UnitSession.count.wrappingAdd(1, ordering: .relaxed).newValue
    private static let count = Atomic<UInt64>(0)
    /// The user's or the device's name; nil for nobody, who is neither admitted nor sampled.
    public let unit: String?
    let control: StageControl
    private let watching: Int
    private let gateBucket: Int?
    private let samplingBucket: Int?
    private let state: Mutex<State>
    /// ``SessionDecision/word`` of the newest decision, once nothing of it is to be watched any more.
    let newest = Atomic<UInt64>(0)
    let callsInFlight = Atomic<Int>(0)
    private let candidateCalls = Atomic<Int>(0)
    private let namedCalls = Atomic<Int>(0)
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
    let isWatched: Bool

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
        let now = control.state
        let side = Self.side(at: now.stage(), bucket: gateBucket, isServed: unit.map(now.servedUnits.contains) ?? false)
        state = Mutex(State(settled: side))
    }

    /// The side that answers the unit's next call, where an operation has no stage of its own.
    public var side: Side { decision().side }

    /// Whether the unit is a named one now, and so counts apart: see ``NamedUnits``.
    public var isNamed: Bool { decision().isNamed }

    /// How a call of its that its caller waits for is noted now.
    public var kindOfCall: CandidateCall.Kind { .answering(isNamed: isNamed) }

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
    var wantedSide: Side { wantedSide(in: control.state) }

    private func wantedSide(in state: StageState) -> Side {
        Self.side(at: state.stage(), bucket: gateBucket, isServed: isServed(in: state))
    }

    /// Whether it is on the candidate by its name.
    private func isServed(in state: StageState) -> Bool { unit.map(state.servedUnits.contains) ?? false }

    // MARK: For a route

    /// A call of the candidate begins.
    func candidateCallBegan(_ kind: CandidateCall.Kind) -> CandidateCall {
        CandidateCall(kind, isUnitsOnly: add(1, kind) == 1 && unit != nil)
    }

    /// It has ended. It is of the kind that it began as, whatever has been named meanwhile.
    func candidateCallEnded(_ kind: CandidateCall.Kind) -> CandidateCall {
        CandidateCall(kind, isUnitsOnly: add(-1, kind) == 0 && unit != nil)
    }

    /// - Returns: how many of that kind are under way now.
    private func add(_ count: Int, _ kind: CandidateCall.Kind) -> Int {
        switch kind {
        case .answering: candidateCalls.wrappingAdd(count, ordering: .relaxed).newValue
        case .named: namedCalls.wrappingAdd(count, ordering: .relaxed).newValue
        case .shadow: shadowCalls.wrappingAdd(count, ordering: .relaxed).newValue
        }
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
            mayStay: decision.route.opens(decision.side == .legacy ? .candidate : .legacy),
            atOnce: control.state.isForced
        )
    }

    /// The side that alone answers every call now, if no call is to be watched, may fall back, or goes elsewhere.
    func directSide() -> DirectSide? {
        let word = newest.load(ordering: .sequentiallyConsistent)
        guard word >> DirectSide.bits == control.generation.load(ordering: .acquiring) else { return nil }
        return DirectSide(word: word)
    }

    /// Of the newest state.
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
        let (stage, isNamed) = (now.stage(), unit.map(now.named.contains) ?? false)
        // A kill switch takes the unit along at once, to either side.
        let wanted = wantedSide(in: now)
        if wanted == .legacy || now.isForced { state.settled = wanted }
        func decision(
            at stage: Stage,
            by route: Stage,
            on side: Side,
            overrides: [String: SessionDecision] = [:]
        ) -> SessionDecision {
            SessionDecision(
                generation: generation,
                stage: stage,
                route: route,
                epoch: now.epoch,
                side: side,
                isNamed: isNamed,
                sample: isNamed ? nil : sample(at: stage, by: sampling),
                overrides: overrides
            )
        }
        let overrides = (now.isForced ? [:] : now.overrides).mapValues { stage in
            // An operation that is kept on the legacy side is kept there for named units too.
            let isServed = isNamed && now.servesNamed && stage.side == nil
            return decision(at: stage, by: stage, on: Self.side(at: stage, bucket: gateBucket, isServed: isServed))
        }
        let route = isServed(in: now) && stage.side != nil ? .canary(share: .none) : stage
        let decision = decision(at: stage, by: route, on: state.settled, overrides: overrides)
        state.decision = decision
        state.unwatched = watching
        return decision
    }

    func began() { callsInFlight.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    func ended() { callsInFlight.wrappingSubtract(1, ordering: .acquiringAndReleasing) }

    /// - Parameter isServed: whether the unit is on the candidate by its name.
    private static func side(at stage: Stage, bucket: Int?, isServed: Bool) -> Side {
        if isServed { return .candidate }
        if case .canary(let share) = stage {
            return bucket.map { $0 < share.tenThousandths } ?? false ? .candidate : .legacy
        }
        return stage.side ?? .legacy
    }

    private func sample(at stage: Stage, by sampling: Sampling) -> UnitSample? {
        sampling.sample(at: stage).map { share in
            UnitSample(share: share, isIn: samplingBucket.map { $0 < share.tenThousandths } ?? false)
        }
    }
}

extension Stage {
    /// Whether that side may be open at all.
    func opens(_ side: Side) -> Bool { opensBothSides || self.side == side }
}
