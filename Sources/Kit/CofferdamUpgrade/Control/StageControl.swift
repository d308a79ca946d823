public import Cofferdam  // ListenerToken
import struct Synchronization.Atomic

/// What holds for one capability now: the stage, the kill switch, and what single operations are told otherwise.
public struct StageState: Sendable, Hashable {
    /// The stage that was set.
    public var stage: Stage
    /// Counts the changes of the stage: evidence of another epoch says nothing of this one.
    public var epoch: Int
    /// Wins over the stage while it is set.
    public var kill: KillSwitch?
    /// The stages of single operations, by their names; they hold in place of ``stage``, and the kill switch wins over them
    /// too.
    public var overrides: [String: Stage] = [:]
    /// The units that are on the candidate before any share is, and count apart: see ``NamedUnits``.
    public var named: Set<String> = []
    /// Whether ``named`` units are on the candidate; not after a rollback, nor out of touch with the store for too long.
    public var servesNamed = true

    public init(stage: Stage = .legacyOnly, epoch: Int = 0, kill: KillSwitch? = nil) {
        self.stage = stage
        self.epoch = epoch
        self.kill = kill
    }

    /// The stage in force.
    public func stage(for operation: String? = nil) -> Stage {
        switch kill?.target {
        case .legacy: .legacyOnly
        case .candidate: .candidateOnly
        case .freeze, nil: operation.flatMap { overrides[$0] } ?? stage
        }
    }

    /// Whether the kill switch sends every unit to one side.
    var isForced: Bool { kill.map { $0.target != .freeze } ?? false }

    /// The named units that are on the candidate by their names: none where the kill switch decides, or the stage puts all there.
    var servedUnits: Set<String> { servesNamed && !isForced && stage < .candidateWithFallback ? named : [] }

    /// As a store does it: what has a lower stage of its own keeps it.
    fileprivate mutating func fallBack(to stage: Stage) {
        overrides = overrides.filter { $0.value <= stage }
        if stage < self.stage {
            self.stage = stage
            epoch += 1
        }
        holdNamedBack(at: stage)
    }

    /// Where no unit is on the candidate any more, no named one is.
    fileprivate mutating func holdNamedBack(at stage: Stage) {
        if stage.side == .legacy, !named.isEmpty { servesNamed = false }
    }
}

/// Sends everybody to one side at once, or forbids every further step, whatever the stage.
public struct KillSwitch: Sendable, Hashable, Codable {
    public var target: Target
    /// Who has pulled it.
    public var by: String
    public var reason: String
    /// Grows each time that it is pulled.
    public var seq: Int

    public init(_ target: Target, by: String, reason: String, seq: Int = 1) {
        self.target = target
        self.by = by
        self.reason = reason
        self.seq = seq
    }

    public enum Target: String, Sendable, Hashable, CaseIterable, Codable {
        case legacy, candidate
        /// The stage stays what it is: `legacyOnly` where ``legacy`` was pulled before.
        case freeze
    }
}

/// Holds the ``StageState`` of one capability for those who route, and takes each change of it. What it is told holds for
/// the next call; it asks no server.
public final class StageControl: Sendable {
    private struct Current {
        var state: StageState
        var sampling: Sampling
    }

    private let current: Mutex<Current>
    /// Grows with each change, so that who has decided by one state knows whether it still holds, without a lock.
    let generation = Atomic<UInt64>(1)
    private let watchers = Watchers()

    /// - Parameter sampling: held here, where the sessions of all units look, and not in the state: whoever stores or
    ///   replaces the stage leaves it alone.
    public init(_ state: StageState = StageState(), sampling: Sampling = Sampling()) {
        current = Mutex(Current(state: state, sampling: sampling))
    }

    public var state: StageState { current.withLock { $0.state } }

    /// How much is compared.
    public var sampling: Sampling { current.withLock { $0.sampling } }

    var stateAndSampling: (StageState, Sampling) { current.withLock { ($0.state, $0.sampling) } }

    /// Changes how much is compared, from the next call on, in the same epoch.
    public func sample(by sampling: Sampling) {
        current.withLock { current in
            guard current.sampling != sampling else { return }
            current.sampling = sampling
            generation.wrappingAdd(1, ordering: .releasing)
        }
    }

    /// Halves every sample, if that stage's still is the given one.
    ///
    /// - Returns: the stage's sample now; nil if nothing was done.
    func halveSample(from share: Share, at stage: Stage) -> Share? {
        current.withLock { current in
            guard current.sampling.sample(at: stage) == share, share > .none else { return nil }
            current.sampling.halvings += 1
            generation.wrappingAdd(1, ordering: .releasing)
            return current.sampling.sample(at: stage)
        }
    }

    /// Calls `body` after each change, where it is made, until the token is released: it must be quick, and asks for ``state``.
    public func watch(_ body: @escaping @Sendable () -> Void) -> ListenerToken { watchers.add(body) }

    /// Sets the stage, and begins a new epoch if it is another one.
    ///
    /// - Throws: ``StageFrozen`` while the kill switch forbids every step; nothing is changed then.
    public func move(to stage: Stage) throws(StageFrozen) {
        try change { state throws(StageFrozen) in
            if let kill = state.kill, kill.target == .freeze { throw StageFrozen(kill: kill) }
            guard state.stage != stage else { return }
            state.servesNamed = true
            if stage < state.stage { state.holdNamedBack(at: stage) }
            state.stage = stage
            state.epoch += 1
        }
    }

    /// Pulls the kill switch, or clears it with nil. Cleared or frozen after ``KillSwitch/Target/legacy``, the stage is
    /// `legacyOnly`, and no operation keeps a higher one of its own: nobody goes back by himself to where it was necessary.
    public func kill(_ kill: KillSwitch?) {
        change { state in
            if state.kill?.target == .legacy, kill.map({ $0.target == .freeze }) ?? true {
                state.fallBack(to: .legacyOnly)
            }
            state.kill = kill
        }
    }

    /// Gives one operation a stage of its own; nil lets it follow the others again.
    public func override(_ operation: String, with stage: Stage?) {
        change { $0.overrides[operation] = stage }
    }

    /// Follows what somebody else has decided, as it is stored: everything at once. What already holds is no change.
    public func follow(_ state: StageState) {
        if take(state) { notifyObservers() }
    }

    /// As ``follow(_:)``, under a lock of the caller's that no watcher may run under: ``notifyObservers()`` is left to him.
    ///
    /// - Returns: whether anything has changed.
    func take(_ state: StageState) -> Bool {
        current.withLock { current in
            guard current.state != state else { return false }
            current.state = state
            generation.wrappingAdd(1, ordering: .releasing)
            return true
        }
    }

    /// After a change, however late: each looks for itself what holds then.
    func notifyObservers() { watchers.tell() }

    private func change<Failure: Error>(_ body: (inout StageState) throws(Failure) -> Void) throws(Failure) {
        try current.withLock { current throws(Failure) in
            try body(&current.state)
            generation.wrappingAdd(1, ordering: .releasing)
        }
        notifyObservers()
    }
}

/// The stage was to be changed, and the kill switch says that it stays.
public struct StageFrozen: Error, Sendable, Hashable, CustomStringConvertible {
    public var kill: KillSwitch

    public init(kill: KillSwitch) { self.kill = kill }

    public var description: String { "the stage is frozen by \(kill.by): \(kill.reason)" }
}
