import Cofferdam

extension UnitSession {
    /// Sends the unit where the stage wants it, with an outbox that is empty, or whose rest goes along.
    ///
    /// First the outbox is drained, for as long as `bound`. What is left then and cannot be handed on is listed to `mayLose`
    /// before anything happens; without its consent the unit stays. Then the unit crosses over, if none of its calls is under
    /// way, and the rest is handed on. A unit that an abort has already taken back takes its outbox along in the same way. Where
    /// the stage wants it on the other side again meanwhile, it stays as one that is busy does, with its outbox.
    ///
    /// - Parameters:
    ///   - bound: how long draining may take.
    ///   - outbox: of the side that the unit leaves.
    ///   - mayLose: whether these may be lost; by default nothing may.
    /// - Throws: what the outbox throws before the unit has crossed over; `CancellationError`. A drain that throws is one that
    ///   leaves something, no more.
    public func crossOver(
        within bound: Duration,
        outbox: any Outbox,
        clock: any Clock<Duration> = ContinuousClock(),
        executor: (any TaskExecutor)? = nil,
        losing mayLose: @Sendable ([OutboxEntry]) async -> Bool = { _ in false }
    ) async throws -> Crossing {
        let target = wantedSide
        guard inFlight == 0 else { return Crossing(outcome: .busy) }
        let before = try await outbox.waiting()
        if !before.isEmpty {
            do {
                try await abandoning(after: bound, on: clock, executor: executor) { try await outbox.drain() }
            } catch {
                try Task.checkCancellation()
            }
        }
        let left = try await outbox.waiting()
        var crossing = Crossing(outcome: .crossed, sent: before.count { !left.contains($0) })
        let lost = left.filter { !$0.canBeExported }
        if !lost.isEmpty, !(await mayLose(lost)) {
            crossing.outcome = .wouldLose
            crossing.lost = lost
            return crossing
        }
        try Task.checkCancellation()
        guard settle(onlyTo: target) else {
            crossing.outcome = .busy
            return crossing
        }
        await handOn(outbox, losing: Set(lost.map(\.key)), expecting: left, into: &crossing)
        return crossing
    }

    /// The unit has crossed over: nothing new comes into the outbox, and nothing that fails now may be taken for lost.
    private func handOn(
        _ outbox: any Outbox,
        losing agreed: Set<String>,
        expecting left: [OutboxEntry],
        into crossing: inout Crossing
    ) async {
        // What a call has added while the others were looked at is here too.
        let rest = (try? await outbox.waiting()) ?? left
        let (exported, lost) = (rest.filter(\.canBeExported), rest.filter { agreed.contains($0.key) })
        crossing.kept = rest.filter { !$0.canBeExported && !agreed.contains($0.key) }
        do {
            if !exported.isEmpty { try await outbox.export(exported.map(\.key)) }
            crossing.exported = exported
        } catch {
            crossing.kept += exported
        }
        do {
            if !lost.isEmpty { try await outbox.discard(lost.map(\.key)) }
            crossing.lost = lost
        } catch {
            crossing.kept += lost
        }
    }
}
