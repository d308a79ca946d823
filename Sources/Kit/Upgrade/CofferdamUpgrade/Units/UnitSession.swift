public import Cofferdam  // operations, sides and differences
import struct Synchronization.Atomic

/// A session of a unit: a user or a device that uses one side at a time.
///
/// The session chooses its side when it begins. A stage that sends the unit on to the candidate applies to the next
/// session, or after ``cutOver()``, because a unit changes sides only while none of its calls is in flight. A stage
/// that sends the unit back applies to its next call; calls in flight end where they began.
public final class UnitSession: Sendable {
    /// The name of the user or the device. A session without a name is neither admitted nor sampled.
    public var unit: String? { calls.unit }
    let control: StageControl
    let calls: UnitCalls
    private let watching: Int
    private let gateBucket: Int?
    private let samplingBucket: Int?
    private let state: Mutex<State>
    private let observers = ChangeObservers()

    private struct State {
        /// The side of the unit, chosen when it was last idle.
        var chosen: Side
        /// The epoch in which it was chosen.
        var entered: Int
        var decision: SessionDecision?
        /// How many first calls are still to be timed under that decision.
        var unwatched = 0
        /// The operations of which a call was timed under that decision.
        var watchedOperations: [UInt64] = []

        init(chosen: Side, entered: Int, isWatched: Bool) {
            (self.chosen, self.entered) = (chosen, entered)
            // Not at the first call, which has a caller.
            if isWatched { watchedOperations.reserveCapacity(8) }
        }

        mutating func decide(_ decision: SessionDecision, watching: Int) {
            (self.decision, unwatched) = (decision, watching)
            watchedOperations.removeAll(keepingCapacity: true)
        }
    }

    /// The default number of first calls that are timed.
    public static let watchedCalls = 8

    /// - Parameter watching: how many first calls are timed for the evidence after each change of the stage, besides
    ///   the first call of each operation. Of later calls that cannot fall back and are not compared, only failures and
    ///   errors that are answers are recorded. 0 records nothing of such calls.
    public init(unit: String?, control: StageControl, bucketing: Bucketing, watching: Int = watchedCalls) {
        self.control = control
        self.watching = max(0, watching)
        calls = UnitCalls(of: unit, isWatched: self.watching > 0)
        gateBucket = unit.map { bucketing.bucket(of: $0) }
        samplingBucket = unit.map { bucketing.bucket(of: $0, for: .sampling) }
        let now = control.state
        let isServed = unit.map(now.servedUnits.contains) ?? false
        let side = control.arm?.side ?? Self.side(at: now.stage(), bucket: gateBucket, isServed: isServed)
        state = Mutex(State(chosen: side, entered: now.epoch, isWatched: calls.isWatched))
    }

    /// The side that answers the next call of the unit, unless its operation has an override.
    public var side: Side { decision().side }

    /// Whether the unit is named, and so counted separately: see <doc:OperatingAnUpgrade#Named-units>.
    package var isNamed: Bool { decision().isNamed }

    /// The kind under which a call with a waiting caller is logged now.
    public var callKind: CandidateCall.Kind { .answering(isNamed: isNamed) }

    /// The number of calls in flight.
    package var inFlight: Int { calls.inFlight }

    /// Moves the unit to the side that the stage wants, if none of its calls is in flight.
    ///
    /// - Returns: whether the unit is on that side.
    @discardableResult
    public func cutOver() -> Bool { cutOver(onlyTo: nil) }

    /// Moves the unit as ``cutOver()`` does, but only to the given side.
    ///
    /// - Parameter target: the side; if the stage now wants another one, the unit stays where it is. Nil for the side
    ///   that the stage wants.
    func cutOver(onlyTo target: Side?) -> Bool {
        var hasMoved = false
        defer { if hasMoved { observers.notify() } }
        return state.withLock { state in
            let now = control.state
            let side = wantedSide(in: now)
            if let target, side != target { return false }
            guard inFlight == 0 else { return state.chosen == side }
            hasMoved = state.chosen != side
            guard hasMoved || state.entered != now.epoch else { return true }
            (state.chosen, state.entered, state.decision) = (side, now.epoch, nil)
            return true
        }
    }

    /// The side that the stage wants for the unit.
    var wantedSide: Side { wantedSide(in: control.state) }

    private func wantedSide(in state: StageState) -> Side {
        control.arm?.side ?? Self.side(at: state.stage(), bucket: gateBucket, isServed: isServed(in: state))
    }

    /// Returns whether the unit uses the candidate because it is named.
    private func isServed(in state: StageState) -> Bool { unit.map(state.servedUnits.contains) ?? false }

    // MARK: For a route

    /// Calls `body` when `streamSide(for:)` may have changed, until the tokens are released.
    func watch(_ body: @escaping @Sendable () -> Void) -> [ListenerToken] {
        [observers.add(body), control.watch(body)]
    }

    /// Returns the side for the streams of the unit.
    func streamSide(for operation: String?) -> StreamSide {
        let decision = decision(for: operation)
        return StreamSide(
            side: decision.side,
            canStay: decision.route.opens(decision.side == .legacy ? .candidate : .legacy),
            atOnce: control.state.isForced
        )
    }

    /// Records the beginning of a call; ``UnitCalls/end()`` follows.
    ///
    /// - Parameters:
    ///   - isOverridable: whether the operation may have a stage of its own.
    ///   - capability: distinguishes the operation from those of other capabilities; nil if no call is timed.
    ///   - required: the side that must answer.
    /// - Returns: the decision for the call, and whether it is timed for the evidence, as one of the first calls of the
    ///   session or the first one of its operation; nil if the unit is not on the required side.
    @inline(__always)
    func began(
        _ operation: borrowing OperationTraits,
        isOverridable: Bool,
        _ capability: UInt64?,
        on required: Side?
    ) -> (decision: SessionDecision, isTimed: Bool)? {
        let number = capability.map { $0 ^ operation.nameHash }
        return state.withLock { state in
            var decision = decided(&state)
            if isOverridable, decision.hasOverrides { decision = decision.overridden(for: operation.name) }
            if let required, required != decision.side { return nil }
            calls.begin()
            guard calls.isWatched, let number else { return (decision, false) }
            let isFirst = !state.watchedOperations.contains(number)
            if isFirst { state.watchedOperations.append(number) }
            guard state.unwatched > 0 else { return (decision, isFirst) }
            state.unwatched -= 1
            return (decision, true)
        }
    }

    /// Returns the current decision.
    func decision(for operation: String? = nil) -> SessionDecision {
        state.withLock { decided(&$0).overridden(for: operation) }
    }

    private func decided(_ state: inout State) -> SessionDecision {
        let generation = control.generation.load(ordering: .acquiring)
        if let decision = state.decision, decision.generation == generation { return decision }
        if let arm = control.arm { return decided(&state, by: arm, generation) }
        let (now, sampling, hour) = control.all
        let (stage, isNamed) = (now.stage(), unit.map(now.named.contains) ?? false)
        // A kill switch moves the unit at once, to either side.
        let wanted = wantedSide(in: now)
        if wanted == .legacy || now.isForced { state.chosen = wanted }
        func decision(
            at stage: Stage,
            by route: Stage,
            on side: Side,
            overrides: [String: SessionDecision] = [:]
        ) -> SessionDecision {
            SessionDecision(
                calls: calls,
                generation: generation,
                stage: stage,
                route: route,
                epoch: now.epoch,
                hour: hour,
                side: side,
                hasEntered: state.entered == now.epoch,
                isNamed: isNamed,
                sample: isNamed ? nil : sample(at: stage, by: sampling),
                overrides: overrides
            )
        }
        let overrides = (now.isForced ? [:] : now.overrides).mapValues { stage in
            // An override that keeps an operation on the legacy side applies to named units too.
            let isServed = isNamed && now.servesNamed && stage.side == nil
            return decision(at: stage, by: stage, on: Self.side(at: stage, bucket: gateBucket, isServed: isServed))
        }
        let route = isServed(in: now) && stage.side != nil ? .canary(share: .none) : stage
        let decision = decision(at: stage, by: route, on: state.chosen, overrides: overrides)
        state.decide(decision, watching: watching)
        return decision
    }

    /// Decides for a process with one side, which answers every call. The stage only determines where the calls count.
    private func decided(_ state: inout State, by arm: Arm, _ generation: UInt64) -> SessionDecision {
        let (now, _, hour) = control.all
        let decision = SessionDecision(
            calls: calls,
            generation: generation,
            stage: now.stage(),
            route: arm.side == .legacy ? .legacyOnly : .candidateOnly,
            epoch: now.epoch,
            hour: hour,
            side: arm.side,
            hasEntered: true,
            isNamed: false,
            sample: nil
        )
        state.decide(decision, watching: watching)
        return decision
    }

    /// - Parameter isServed: whether the unit uses the candidate because it is named.
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
    /// Returns whether the stage may open that side.
    func opens(_ side: Side) -> Bool { opensBothSides || self.side == side }
}
