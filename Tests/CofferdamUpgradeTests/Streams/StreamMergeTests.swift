import Cofferdam
import Testing

@testable import CofferdamUpgrade

/// Checks handovers whose steps come in a rare order.
@Suite struct StreamMergeTests {
    private static func event(_ number: Int) -> SimulatedElement {
        .event(SimulatedEvent(number: number), isEcho: false)
    }

    /// Returns a merge in which the legacy side is held, and the candidate has sent nothing.
    private static func held(canStay: Bool = true) throws -> (StreamMerge<SimulatedElement>, StreamTimer, StreamTimer) {
        var merge = StreamMerge(
            handover: .simulated(legacy: .init(), candidate: .init(acknowledges: { $0 == .acknowledged })),
            beginningOn: .legacy
        )
        let deadline = try #require(
            merge.want(.candidate, canStay: canStay, atOnce: false).timers.first { $0.purpose == .deadline }
        )
        let roundTrip = try #require(merge.received(.acknowledged, from: .candidate).timers.first)
        let hold = try #require(merge.elapsed(roundTrip, isOldSideIdle: true).timers.first)
        #expect(hold.purpose == .hold && merge.fetchPolicy(to: .legacy) == .none)
        return (merge, hold, deadline)
    }

    @Test func `an echo is not delivered after the deletion of its original, if the list knows both`() throws {
        var merge = StreamMerge(
            handover: .simulated(legacy: .init(), candidate: .init(acknowledges: { $0 == .acknowledged })),
            beginningOn: .legacy,
            hasList: true
        )
        #expect(merge.received(Self.event(0), from: .legacy).delivered == [Self.event(0)])
        _ = merge.want(.candidate, canStay: true, atOnce: false)
        _ = merge.received(.acknowledged, from: .candidate)
        let own = SimulatedEvent(number: 2, isOwn: true)
        _ = merge.received(.event(own, isEcho: true), from: .candidate)
        // The rest of the candidate's elements is on its way.
        #expect(merge.ended(.legacy, by: nil).delivered == [.gap(after: 0, before: 2)])
        let deletion = SimulatedEvent(number: 3, deletes: 2)
        let list = [Self.event(1), .event(own, isEcho: false), .event(deletion, isEcho: false)]
        let delivered = merge.listed(list).delivered
        #expect(delivered == [.recovered(SimulatedEvent(number: 1)), .recovered(deletion), .acknowledged])
    }

    @Test(arguments: [true, false])
    func `a new side that ends while the list is asked ends the stream after what the list has`(fails: Bool) throws {
        var merge = StreamMerge(
            handover: .simulated(legacy: .init(), candidate: .init(acknowledges: { $0 == .acknowledged })),
            beginningOn: .legacy,
            hasList: true
        )
        _ = merge.received(Self.event(0), from: .legacy)
        _ = merge.want(.candidate, canStay: true, atOnce: false)
        _ = merge.received(.acknowledged, from: .candidate)
        _ = merge.received(Self.event(2), from: .candidate)
        #expect(merge.ended(.legacy, by: nil).delivered == [.gap(after: 0, before: 2)])
        #expect(merge.ended(.candidate, by: fails ? ZooError(meaning: .failed) : nil).isEmpty)
        let commands = merge.listed([Self.event(1), Self.event(2)])
        let recovered = SimulatedElement.recovered(SimulatedEvent(number: 1))
        #expect(commands.delivered == [recovered, .acknowledged, Self.event(2)])
        #expect(merge.isOver)
        guard case .finish(let error) = commands.last else { return #expect(Bool(false), "it does not end") }
        #expect((error != nil) == fails)
    }

    @Test func `a kill switch that finds no way back takes the stream there as soon as the new side has it`() throws {
        for isKilled in [true, false] {
            var merge = StreamMerge(
                handover: .simulated(legacy: .init(), candidate: .init(acknowledges: { $0 == .acknowledged })),
                beginningOn: .legacy
            )
            _ = merge.want(.candidate, canStay: true, atOnce: false)
            _ = merge.ended(.legacy, by: ZooError(meaning: .failed))
            #expect(merge.want(.legacy, canStay: false, atOnce: isKilled).isEmpty)
            let commands = merge.received(.acknowledged, from: .candidate)
            #expect(merge.active == .candidate)
            #expect(commands.opened == (isKilled ? [.legacy] : []), "two moves are else some time apart")
        }
    }

    // MARK: The old side still has elements after its round trip, because the process was suspended meanwhile

    @Test func `a late element of the old side begins another round trip, and all are delivered`() throws {
        var (merge, hold, _) = try Self.held()
        let late = merge.received(Self.event(0), from: .legacy)
        #expect(late.delivered == [Self.event(0)])
        #expect(merge.fetchPolicy(to: .legacy) == .ahead(waiting: 0))
        #expect(merge.elapsed(hold, isOldSideIdle: true).isEmpty, "it was of the round trip before")
        let second = merge.received(Self.event(1), from: .legacy)
        #expect(second.delivered == [Self.event(1)] && second.timers.isEmpty)
        let holdsAgain = merge.elapsed(try #require(late.timers.first), isOldSideIdle: true)
        let end = merge.elapsed(try #require(holdsAgain.timers.first), isOldSideIdle: true)
        #expect(end.delivered == [.acknowledged] && merge.active == .candidate, "without a gap")
    }

    @Test func `a move that is overdue by then is given up where the old side may stay, else ends with a gap`() throws {
        for canStay in [true, false] {
            var (merge, _, deadline) = try Self.held(canStay: canStay)
            #expect(merge.elapsed(deadline, isOldSideIdle: true).isEmpty, "it is about to end by itself")
            let late = merge.received(Self.event(0), from: .legacy)
            #expect(late.delivered == [Self.event(0)] + (canStay ? [] : [.gap(after: 0, before: nil), .acknowledged]))
            #expect(merge.active == (canStay ? .legacy : .candidate))
        }
    }
}

extension [StreamCommand<SimulatedElement>] {
    fileprivate var timers: [StreamTimer] {
        compactMap { if case .wait(_, let timer) = $0 { timer } else { nil } }
    }

    fileprivate var opened: [Side] { compactMap { if case .open(let side) = $0 { side } else { nil } } }

    fileprivate var delivered: [SimulatedElement] {
        compactMap { if case .emit(let element) = $0 { element } else { nil } }
    }
}
