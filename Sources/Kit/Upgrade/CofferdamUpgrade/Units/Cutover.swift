public import Cofferdam  // a side

/// Calls that a capability has accepted on one side and not yet sent. Before a unit cuts over, they are sent,
/// exported to the other side, or declared lost.
public protocol Outbox: Sendable {
    /// The waiting entries, oldest first.
    func waiting() async throws -> [OutboxEntry]

    /// Sends all entries, and returns when none is left. It is cancelled when its time limit has passed; entries that
    /// were not sent must still be in ``waiting()``.
    func drain() async throws

    /// Exports entries to the other side, which sends them under the same keys. They no longer wait here.
    func export(_ keys: [String]) async throws

    /// Discards entries.
    func discard(_ keys: [String]) async throws
}

/// An entry that waits to be sent.
public struct OutboxEntry: Sendable, Hashable, Codable {
    /// The idempotency key: the vendor carries out one key once, however often it is sent.
    public var key: String
    /// Whether the other side can send it under the same key.
    public var canBeExported: Bool
    /// A description without secrets.
    public var summary: String

    /// Creates a value from its parts.
    public init(key: String, canBeExported: Bool, summary: String) {
        self.key = key
        self.canBeExported = canBeExported
        self.summary = summary
    }
}

/// The result of a cutover: whether the unit changed sides, and what happened to its outbox.
public struct Cutover: Sendable, Hashable {
    /// The outcome.
    public var outcome: Outcome
    /// The number of entries that were sent while the outbox was drained.
    public var sent = 0
    /// The entries that the other side took over.
    public var exported: [OutboxEntry] = []
    /// The entries that were discarded with consent; for ``Outcome/wouldLose``, the entries that would be lost.
    public var lost: [OutboxEntry] = []
    /// The entries that still wait on the old side: they came too late for consent, or could not be exported.
    var kept: [OutboxEntry] = []

    /// The possible outcomes.
    public enum Outcome: String, Sendable, Hashable, Codable {
        /// The unit is on the side that the stage wants.
        case completed
        /// Calls were in flight, or the stage changed. The unit is where it was, and so is what was not sent.
        case busy
        /// Entries would be lost without consent. The unit is where it was.
        case wouldLose
    }
}

extension UnitSession {
    /// Moves the unit to the side that the stage wants, once its outbox is empty or its remaining entries can follow.
    ///
    /// First the outbox is drained, for at most `bound`. Remaining entries that cannot be exported are passed to
    /// `mayLose`; without its consent the unit stays. Then the unit changes sides if none of its calls is in flight,
    /// and the other entries are exported. A unit that an abort has already moved back takes its outbox along in the
    /// same way. If the stage changes in the meantime, the unit stays with its outbox, as with
    /// ``Cutover/Outcome/busy``. If the stage wants the unit on the side of the outbox, that side sends what waits there, and
    /// the outbox is left alone.
    ///
    /// - Parameters:
    ///   - side: the side of the outbox.
    ///   - bound: how long draining may take.
    ///   - outbox: what that side has not sent.
    ///   - mayLose: returns whether these entries may be lost; by default none may.
    /// - Throws: errors of the outbox before the unit has changed sides, and `CancellationError`. A drain that throws
    ///   is treated as one that leaves entries.
    public func cutOver(
        from side: Side,
        within bound: Duration,
        outbox: any Outbox,
        clock: any Clock<Duration> = ContinuousClock(),
        executor: (any TaskExecutor)? = nil,
        losing mayLose: @Sendable ([OutboxEntry]) async -> Bool = { _ in false }
    ) async throws -> Cutover {
        let target = wantedSide
        guard target != side else { return Cutover(outcome: cutOver(onlyTo: target) ? .completed : .busy) }
        guard inFlight == 0 else { return Cutover(outcome: .busy) }
        let before = try await outbox.waiting()
        if !before.isEmpty {
            do {
                try await abandoning(after: bound, on: clock, executor: executor) { try await outbox.drain() }
            } catch {
                try Task.checkCancellation()
            }
        }
        let left = try await outbox.waiting()
        var cutover = Cutover(outcome: .completed, sent: before.count { !left.contains($0) })
        let lost = left.filter { !$0.canBeExported }
        if !lost.isEmpty, !(await mayLose(lost)) {
            cutover.outcome = .wouldLose
            cutover.lost = lost
            return cutover
        }
        try Task.checkCancellation()
        guard cutOver(onlyTo: target) else {
            cutover.outcome = .busy
            return cutover
        }
        await handOver(outbox, losing: Set(lost.map(\.key)), expecting: left, into: &cutover)
        return cutover
    }

    /// Exports or discards the remaining entries after the unit has changed sides. The old side accepts no new entries,
    /// and an error must not lose any.
    private func handOver(
        _ outbox: any Outbox,
        losing agreed: Set<String>,
        expecting left: [OutboxEntry],
        into cutover: inout Cutover
    ) async {
        // Includes entries that a call added in the meantime.
        let rest = (try? await outbox.waiting()) ?? left
        let (exported, lost) = (rest.filter(\.canBeExported), rest.filter { agreed.contains($0.key) })
        cutover.kept = rest.filter { !$0.canBeExported && !agreed.contains($0.key) }
        do {
            if !exported.isEmpty { try await outbox.export(exported.map(\.key)) }
            cutover.exported = exported
        } catch {
            cutover.kept += exported
        }
        do {
            if !lost.isEmpty { try await outbox.discard(lost.map(\.key)) }
            cutover.lost = lost
        } catch {
            cutover.kept += lost
        }
    }
}
