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

    private struct State {
        /// Where the unit was sent when it last rested.
        var settled: Side
        /// How many calls are to be watched before they may go directly.
        var unwatched = 0
        /// By capabilities: each has data of its own.
        var writes: [String: CandidateWrites] = [:]
        var decision: SessionDecision?
    }

    /// How many of a unit's first calls are watched where nothing else is said.
    public static let watchedCalls = 8

    /// - Parameter watching: how many of its first calls, after each change of the stage, are watched for the evidence; from then
    ///   on those that need not be compared just go to their side.
    public init(unit: String?, control: StageControl, bucketing: Bucketing, watching: Int = watchedCalls) {
        self.unit = unit
        self.control = control
        self.watching = unit == nil ? 0 : max(0, watching)
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
    public func settle() -> Bool {
        let stage = control.state.stage()
        var hasMoved = false
        defer { if hasMoved { watchers.tell() } }
        return state.withLock { state in
            let side = Self.side(at: stage, bucket: gateBucket)
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

    /// What holds for a call of that operation that begins now, of which its route tells.
    func decision(watching operation: String?) -> SessionDecision {
        state.withLock { state in
            let decision = decided(&state)
            if state.unwatched > 0 { state.unwatched -= 1 }
            if state.unwatched == 0 { newest.store(decision.word, ordering: .releasing) }
            return decision.overridden(for: operation)
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

    /// Whether the unit has changed something on the candidate's side, as far as that is remembered. Where nobody can tell, it
    /// has.
    func hasWritten(by settings: RouteSettings) async -> Bool {
        let writes = state.withLock { $0.writes[settings.capability, default: CandidateWrites()] }
        guard let unit, !writes.isRecalled, !writes.areKnown else { return writes.areKnown }
        do {
            let isKnown = try await settings.memory.hasWritten(unit, capability: settings.capability)
            return state.withLock { $0.writes[settings.capability, default: CandidateWrites()].recall(isKnown) }
        } catch {
            return true
        }
    }

    /// The unit is about to change something on the candidate's side.
    ///
    /// - Throws: what the memory throws.
    func noteComingWrite(by settings: RouteSettings) async throws {
        let capability = settings.capability
        guard let unit, !state.withLock({ $0.writes[capability]?.areNoted ?? false }) else { return }
        try await settings.memory.noteWrite(by: unit, capability: capability)
        state.withLock { $0.writes[capability, default: CandidateWrites()].areNoted = true }
    }

    /// The unit may have changed something on the candidate's side.
    func noteCandidateWrite(by settings: RouteSettings) {
        state.withLock { $0.writes[settings.capability, default: CandidateWrites()].areKnown = true }
    }

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

/// What is known of a unit's writes to one capability on the candidate's side.
private struct CandidateWrites {
    /// Whether the memory was asked.
    var isRecalled = false
    /// Whether the memory was told.
    var areNoted = false
    /// Whether there was one.
    var areKnown = false

    /// The memory has answered.
    ///
    /// - Returns: whether there was one.
    mutating func recall(_ isRemembered: Bool) -> Bool {
        isRecalled = true
        if isRemembered { (areKnown, areNoted) = (true, true) }
        return areKnown
    }
}

extension Stage {
    /// Whether that side may be open at all.
    func opens(_ side: Side) -> Bool { opensBothSides || self.side == side }
}
