public import Cofferdam  // ListenerToken
import struct Synchronization.Atomic

/// The state of one capability: the stage, the kill switch and the overrides of single operations.
public struct StageState: Sendable, Hashable {
    /// The stage that was set.
    public var stage: Stage
    /// The number of stage changes. Evidence of one epoch never counts in another.
    package var epoch: Int
    /// Takes precedence over the stage while it is set.
    public var kill: KillSwitch?
    /// The stages of single operations, by name. They replace ``stage``; the kill switch takes precedence over them
    /// too.
    public var overrides: [String: Stage] = [:]
    /// The units that use the candidate before any share does, and that are counted separately: see
    /// <doc:OperatingAnUpgrade#Named-units>.
    package var named: Set<String> = []
    /// Whether ``named`` units use the candidate; false after a rollback, and while the store has been unreachable for
    /// too long.
    package var servesNamed = true

    /// Creates a value from its parts.
    public init(stage: Stage = .legacyOnly, epoch: Int = 0, kill: KillSwitch? = nil) {
        self.stage = stage
        self.epoch = epoch
        self.kill = kill
    }

    /// Returns the stage in force.
    public func stage(for operation: String? = nil) -> Stage {
        switch kill?.target {
        case .legacy: .legacyOnly
        case .candidate: .candidateOnly
        case .freeze, nil: operation.flatMap { overrides[$0] } ?? stage
        }
    }

    /// Whether the kill switch sends every unit to one side.
    var isForced: Bool { kill?.isForced ?? false }

    /// The units that use the candidate because they are named: none if the kill switch decides or the stage sends
    /// every unit there.
    var servedUnits: Set<String> { servesNamed && !isForced && stage < .candidateWithFallback ? named : [] }

    /// Goes back as a store does: an operation whose own stage is not higher keeps it.
    fileprivate mutating func fallBack(to stage: Stage) {
        overrides = overrides.filter { $0.value <= stage }
        if stage < self.stage {
            self.stage = stage
            epoch += 1
        }
        holdBackNamedUnits(at: stage)
    }

    /// Sends named units back too, if no other unit uses the candidate at `stage`.
    fileprivate mutating func holdBackNamedUnits(at stage: Stage) {
        if stage.side == .legacy, !named.isEmpty { servesNamed = false }
    }
}

/// A switch that, at any stage, sends every unit to one side at once or forbids every further step.
public struct KillSwitch: Sendable, Hashable, Codable {
    /// Where the switch points.
    public var target: Target
    /// Who set it.
    public var by: String
    /// The reason, for people.
    public var reason: String
    /// Increases each time the switch is set.
    package var seq: Int

    /// Creates a value from its parts.
    public init(_ target: Target, by: String, reason: String, seq: Int = 1) {
        self.target = target
        self.by = by
        self.reason = reason
        self.seq = seq
    }

    /// Whether it sends every unit to one side.
    var isForced: Bool { target != .freeze }

    /// The positions of the switch.
    public enum Target: String, Sendable, Hashable, CaseIterable, Codable {
        case legacy, candidate
        /// Keeps the stage: `legacyOnly` if the switch was at ``legacy`` before.
        case freeze
    }
}

/// Holds the ``StageState`` of one capability for its routes. A change applies to the next call; it needs no server.
public final class StageControl: Sendable {
    private struct Current {
        var state: StageState
        var sampling: Sampling
        /// The hour since 1970 in which units are counted for the alarm; 0 before the first.
        var hour: Int64 = 0
    }

    private let current: Mutex<Current>
    /// The only side of this process; nil if it holds both.
    public let arm: Arm?
    /// Increases with each change, so that a cached decision can check without a lock whether it is current.
    let generation = Atomic<UInt64>(1)
    private let observers = ChangeObservers()
    /// Ends when the stage has been read again; nil if no call must wait.
    private let held = Mutex<Task<Void, Never>?>(nil)
    /// Whether ``held`` is set.
    private let holds = Atomic<Bool>(false)

    /// - Parameters:
    ///   - sampling: how many units are compared. All sessions read it here, and it is not part of the state, so that a
    ///     store that replaces the state does not change it.
    ///   - arm: the only side of this process, which no stage and no kill switch changes; nil if it holds both.
    public init(_ state: StageState = StageState(), sampling: Sampling = Sampling(), arm: Arm? = nil) {
        self.arm = arm
        current = Mutex(Current(state: state, sampling: sampling))
    }

    /// The current state.
    public var state: StageState { current.withLock { $0.state } }

    /// How many units are compared.
    var sampling: Sampling { current.withLock { $0.sampling } }

    var all: (state: StageState, sampling: Sampling, hour: Int64) {
        current.withLock { ($0.state, $0.sampling, $0.hour) }
    }

    /// Begins an hour for the alarm: from now on, the first calls of each session are reported again, so that it is
    /// known which units visit a side in this hour, and not only which fail.
    func begin(hour: Int64) {
        current.withLock { current in
            guard current.hour < hour else { return }
            current.hour = hour
            generation.wrappingAdd(1, ordering: .releasing)
        }
    }

    /// Changes how many units are compared, from the next call on, in the same epoch.
    public func sample(by sampling: Sampling) {
        current.withLock { current in
            guard current.sampling != sampling else { return }
            current.sampling = sampling
            generation.wrappingAdd(1, ordering: .releasing)
        }
    }

    /// Halves every sample if the sample of that stage still has the given share.
    ///
    /// - Returns: the sample of the stage now; nil if nothing changed.
    func halveSample(from share: Share, at stage: Stage) -> Share? {
        current.withLock { current in
            guard current.sampling.sample(at: stage) == share, share > .none else { return nil }
            current.sampling.halvings += 1
            generation.wrappingAdd(1, ordering: .releasing)
            return current.sampling.sample(at: stage)
        }
    }

    /// Calls `body` after each change, on the thread of the change, until the token is released. `body` must be
    /// quick, and reads ``state`` itself.
    public func watch(_ body: @escaping @Sendable () -> Void) -> ListenerToken { observers.add(body) }

    /// Sets the stage. Another stage begins a new epoch.
    ///
    /// - Throws: ``StageFrozen`` while the kill switch forbids every step; nothing changes then.
    public func move(to stage: Stage) throws(StageFrozen) {
        try change { state throws(StageFrozen) in
            if let kill = state.kill, kill.target == .freeze { throw StageFrozen(kill: kill) }
            guard state.stage != stage else { return }
            state.servesNamed = true
            if stage < state.stage { state.holdBackNamedUnits(at: stage) }
            state.stage = stage
            state.epoch += 1
        }
    }

    /// Sets the kill switch, or clears it with nil. When a switch at ``KillSwitch/Target/legacy`` is cleared or
    /// frozen, the stage becomes `legacyOnly` and no operation keeps a higher one: units return to the candidate only
    /// by a new step.
    public func kill(_ kill: KillSwitch?) {
        change { state in
            if state.kill?.target == .legacy, kill.map({ $0.target == .freeze }) ?? true {
                state.fallBack(to: .legacyOnly)
            }
            state.kill = kill
        }
    }

    /// Gives one operation a stage of its own; nil removes it.
    public func override(_ operation: String, with stage: Stage?) {
        change { $0.overrides[operation] = stage }
    }

    /// Adopts a stored state as a whole. Does nothing if that state is already in force.
    public func follow(_ state: StageState) {
        if take(state) { notifyObservers() }
    }

    /// Does the same as ``follow(_:)``, for a caller that holds a lock: it must call `notifyObservers()` after
    /// releasing that lock.
    ///
    /// - Returns: whether anything changed.
    func take(_ state: StageState) -> Bool {
        current.withLock { current in
            guard current.state != state else { return false }
            current.state = state
            generation.wrappingAdd(1, ordering: .releasing)
            return true
        }
    }

    /// Notifies the observers of a change; each reads the state itself.
    func notifyObservers() { observers.notify() }

    // MARK: Holding calls

    /// Lets calls that begin from now on wait until the task ends: until the stage is read that was not read for long. It
    /// must end soon.
    package func hold(until end: Task<Void, Never>) {
        held.withLock { held in
            held = end
            holds.store(true, ordering: .sequentiallyConsistent)
        }
        Task(executorPreference: nil) {
            await end.value
            self.release(end)
        }
    }

    /// Whether calls must wait.
    var isHeld: Bool { holds.load(ordering: .sequentiallyConsistent) }

    /// Returns when no call must wait.
    ///
    /// - Throws: `CancellationError` as soon as the caller is cancelled.
    func waitWhileHeld() async throws {
        while isHeld, let end = held.withLock({ $0 }) {
            try await vendorCall { complete in
                Task(executorPreference: nil) { complete(.success(await end.value)) }
                return .none
            }
            self.release(end)
        }
    }

    private func release(_ end: Task<Void, Never>) {
        held.withLock { held in
            guard held == end else { return }
            held = nil
            holds.store(false, ordering: .sequentiallyConsistent)
        }
    }

    private func change<Failure: Error>(_ body: (inout StageState) throws(Failure) -> Void) throws(Failure) {
        try current.withLock { current throws(Failure) in
            try body(&current.state)
            generation.wrappingAdd(1, ordering: .releasing)
        }
        notifyObservers()
    }
}

/// The error of a stage change while the kill switch forbids it.
public struct StageFrozen: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kill switch.
    public var kill: KillSwitch

    package init(kill: KillSwitch) { self.kill = kill }

    /// Who froze the stage, and why.
    public var description: String { "the stage is frozen by \(kill.by): \(kill.reason)" }
}
