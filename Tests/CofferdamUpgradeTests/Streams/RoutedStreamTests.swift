import Cofferdam
import CofferdamTesting
import Testing
import TestSupport

@testable import CofferdamUpgrade

/// Checks the stream of a route over two sides that the test controls.
@Suite struct RoutedStreamTests {
    @Test func `a stream is subscribed at once where its side is open`() async throws {
        let stand = try await StreamStand(.legacyOnly)
        let events = stand.events()
        #expect(stand.subscribers(.legacy) == 1)
        stand.legacy.emit(0, 1)
        let received = ReceivedElements(events)
        await until { received.numbers == [0, 1] }
        #expect(stand.subscribers(.candidate) == 0)
        received.task.cancel()
        await until { stand.subscribers(.legacy) == 0 }
    }

    @Test func `a unit that crosses over takes its stream along, and back, without a loss`() async throws {
        let stand = try await StreamStand(.legacyOnly)
        let received = ReceivedElements(stand.events())
        stand.legacy.emit(0, 1)
        await until { received.numbers == [0, 1] }
        try stand.control.move(to: .candidateShadowed(sample: .all))
        #expect(stand.subscribers(.candidate) == 0)
        #expect(stand.session.cutOver())
        await until { stand.subscribers(.candidate) == 1 }
        // The legacy side goes on until both have sent the same element.
        stand.legacy.emit(2)
        await until { received.numbers == [0, 1, 2] }
        stand.candidate.emit(2, 3)
        await until { received.numbers == [0, 1, 2, 3] }
        await until { stand.subscribers(.legacy) == 0 && stand.clock.sleeperCount == 3 }
        stand.clock.advance(by: .seconds(30))
        await until { stand.clock.sleeperCount == 0 }
        try stand.control.move(to: .shadow(sample: .all))
        await until { stand.subscribers(.legacy) == 1 }
        stand.legacy.emit(4)
        stand.candidate.emit(4)
        stand.legacy.emit(5)
        await until { received.numbers == [0, 1, 2, 3, 4, 5] }
        await until { stand.subscribers(.candidate) == 0 }
        #expect(received.end == nil)
        received.task.cancel()
        await until { stand.subscribers(.legacy) == 0 }
    }

    @Test func `a unit that is named takes its stream along, and back when it is no longer named`() async throws {
        let stand = try await StreamStand(.legacyOnly)
        let received = ReceivedElements(stand.events())
        stand.legacy.emit(0, 1)
        await until { received.numbers == [0, 1] }
        var state = stand.control.state
        state.named = ["keeper"]
        stand.control.follow(state)
        #expect(stand.subscribers(.candidate) == 0)
        #expect(stand.session.cutOver())
        await until { stand.subscribers(.candidate) == 1 }
        stand.legacy.emit(2)
        await until { received.numbers == [0, 1, 2] }
        stand.candidate.emit(2, 3)
        await until { received.numbers == [0, 1, 2, 3] }
        await until { stand.subscribers(.legacy) == 0 && stand.clock.sleeperCount == 3 }
        stand.clock.advance(by: .seconds(30))
        await until { stand.clock.sleeperCount == 0 }
        state.named = []
        stand.control.follow(state)
        await until { stand.subscribers(.legacy) == 1 }
        stand.legacy.emit(4)
        stand.candidate.emit(4)
        stand.legacy.emit(5)
        await until { received.numbers == [0, 1, 2, 3, 4, 5] }
        await until { stand.subscribers(.candidate) == 0 }
        received.task.cancel()
        await until { stand.subscribers(.legacy) == 0 }
    }

    @Test func `a named unit's stream that cannot begin there falls back, and counts apart`() async throws {
        let stand = try await StreamStand(.shadow(sample: .none), candidateOpens: false)
        var state = stand.control.state
        state.named = ["keeper"]
        stand.control.follow(state)
        #expect(stand.session.cutOver())
        let received = ReceivedElements(stand.events())
        await until { stand.subscribers(.legacy) == 1 }
        let call = try #require(stand.calls.entries.first)
        #expect(call.isNamed && call.side == .candidate && call.stage == .shadow(sample: .none))
        received.task.cancel()
    }

    @Test func `two moves are thirty seconds apart, and the kill switch does not wait`() async throws {
        let stand = try await StreamStand(.candidateOnly)
        let received = ReceivedElements(stand.events())
        try stand.control.move(to: .legacyOnly)
        await until { stand.subscribers(.legacy) == 1 }
        try stand.control.move(to: .candidateOnly)
        #expect(stand.session.cutOver())
        // It is wanted again before it has gone.
        await until { stand.subscribers(.legacy) == 0 }
        try stand.control.move(to: .legacyOnly)
        #expect(stand.subscribers(.legacy) == 0)
        await until { stand.clock.sleeperCount == 4 }
        stand.clock.advance(by: .seconds(30))
        await until { stand.subscribers(.legacy) == 1 }
        stand.control.kill(KillSwitch(.candidate, by: "amara", reason: "a drill"))
        await until { stand.subscribers(.legacy) == 0 }
        stand.control.kill(KillSwitch(.legacy, by: "amara", reason: "a drill"))
        await until { stand.subscribers(.legacy) == 1 }
        received.task.cancel()
        await until { stand.subscribers(.legacy) + stand.subscribers(.candidate) == 0 }
    }

    @Test func `a subscriber who goes in the middle of a move releases both sides`() async throws {
        for isDropped in [true, false] {
            let stand = try await StreamStand(.candidateOnly)
            var events: PortEvents<SimulatedElement>? = stand.events()
            let reader = isDropped ? nil : events.map { ReceivedElements($0) }
            try stand.control.move(to: .legacyOnly)
            await until { stand.subscribers(.legacy) == 1 && stand.subscribers(.candidate) == 1 }
            events = nil
            reader?.task.cancel()
            _ = events
            await until { stand.subscribers(.legacy) + stand.subscribers(.candidate) == 0 }
            await until { stand.clock.sleeperCount == 0 }
        }
    }

    @Test func `an element is fetched when it is asked for`() async throws {
        let stand = try await StreamStand(.legacyOnly)
        let events = stand.events()
        stand.legacy.emit(0, 1, 2, 3)
        for _ in 0..<1000 { await Task.yield() }
        #expect(stand.legacy.unread == 4)
        let received = ReceivedElements(events)
        await until { received.numbers.count == 4 }
    }

    /// Older systems of Apple's cannot begin a task in its caller.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `an element that is ready is fetched in the subscriber's task`() async throws {
        let executor = ManualExecutor()
        let stand = try await StreamStand(.legacyOnly, executor: executor)
        let events = stand.events()
        stand.legacy.emit(0, 1, 2)
        let received = ReceivedElements(events)
        await until { received.numbers == [0, 1, 2] && stand.legacy.isAwaited }
        #expect(executor.count == 0, "the stream's own tasks had nothing to do")
        stand.legacy.emit(3)
        await until {
            executor.drain()
            return received.numbers == [0, 1, 2, 3]
        }
        received.task.cancel()
        await until { stand.subscribers(.legacy) == 0 }
    }

    @Test func `two subscribers at once are refused, and the first goes on`() async throws {
        let stand = try await StreamStand(.legacyOnly)
        let events = stand.events()
        let first = ReceivedElements(events)
        await until { stand.legacy.isAwaited }
        let second = ReceivedElements(events)
        await until { second.end != nil }
        #expect(throws: IteratedTwice.self) { try second.end?.get() }
        stand.legacy.emit(0)
        await until { first.numbers == [0] }
        first.task.cancel()
    }

    @Test func `a cancelled subscriber gets nothing more, not even what is ready`() async throws {
        let stand = try await StreamStand(.legacyOnly)
        let events = stand.events()
        stand.legacy.emit(0)
        let subscriber = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var iterator = events.makeAsyncIterator()
            return try await iterator.next(isolation: nil)?.number
        }
        await #expect(throws: CancellationError.self) { try await subscriber.value }
        #expect(stand.subscribers(.legacy) == 0)
    }

    @Test func `a side that fails ends the stream with its error`() async throws {
        let stand = try await StreamStand(.candidateWithFallback)
        let received = ReceivedElements(stand.events())
        stand.candidate.emit(0)
        stand.candidate.fail(ZooError(meaning: .failed))
        await until { received.end != nil }
        #expect(received.numbers == [0])
        #expect(throws: ZooError.self) { try received.end?.get() }
        // A stream that opened is a trial, and its failure belongs to it.
        #expect(stand.calls.entries.map(\.side) == [.candidate, .candidate])
        #expect(stand.calls.entries.map(\.outcome) == [.answered, .failed(.failed, kind: "broken")])
        #expect(stand.calls.entries.map(\.duration) == [nil, nil])
    }

    @Test func `a side that fails after the unit left it, or as a fallback, is not reported as first choice`()
        async throws
    {
        let rolledBack = try await StreamStand(.candidateOnly)
        let received = ReceivedElements(rolledBack.events())
        try rolledBack.control.move(to: .legacyOnly)
        await until { rolledBack.subscribers(.legacy) == 1 }
        rolledBack.candidate.fail(ZooError(meaning: .failed))
        func failed(_ stand: StreamStand) -> [RoutedCall] { stand.calls.entries.filter { $0.outcome != .answered } }
        await until { !failed(rolledBack).isEmpty }
        #expect(failed(rolledBack).map(\.stage) == [.legacyOnly])
        #expect(failed(rolledBack).map(\.side) == [.candidate])
        #expect(failed(rolledBack).map(\.role) == [.fallback])
        received.task.cancel()

        let stoodIn = try await StreamStand(.candidateWithFallback, candidateOpens: false)
        let receivedInstead = ReceivedElements(stoodIn.events())
        await until { stoodIn.subscribers(.legacy) == 1 }
        stoodIn.legacy.fail(ZooError(meaning: .failed))
        await until { receivedInstead.end != nil }
        #expect(failed(stoodIn).map(\.side) == [.candidate, .legacy])
        #expect(failed(stoodIn).map(\.role) == [.first, .fallback])
    }

    @Test func `a side that cannot be opened is replaced where the stage has a fallback`() async throws {
        for (stage, isStoodIn) in [(Stage.candidateWithFallback, true), (.candidateOnly, false)] {
            let stand = try await StreamStand(stage, candidateOpens: false)
            let received = ReceivedElements(stand.events())
            if isStoodIn {
                await until { stand.subscribers(.legacy) == 1 }
                stand.legacy.emit(0)
                await until { received.numbers == [0] }
            } else {
                await until { received.end != nil }
                #expect(throws: ZooError.self) { try received.end?.get() }
            }
            received.task.cancel()
        }
    }

    @Test func `a user's stream falls back only while that user is signed in there`() async throws {
        for isSameUser in [true, false] {
            let stand = try await StreamStand(.candidateWithFallback, candidateOpens: false, isSameUser: isSameUser)
            let received = ReceivedElements(stand.events())
            await until { isSameUser ? stand.subscribers(.legacy) == 1 : received.end != nil }
            #expect(stand.subscribers(.legacy) == (isSameUser ? 1 : 0))
            received.task.cancel()
        }
    }

    @Test func `a new side that fails leaves the stream where it was, if it may stay there`() async throws {
        for (stage, canStay) in [(Stage.shadow(sample: .all), true), (.legacyOnly, false)] {
            let stand = try await StreamStand(.candidateOnly)
            let received = ReceivedElements(stand.events())
            try stand.control.move(to: stage)
            await until { stand.subscribers(.legacy) == 1 }
            stand.legacy.fail(ZooError(meaning: .failed))
            if canStay {
                await until { stand.subscribers(.legacy) == 0 }
                stand.candidate.emit(0)
                await until { received.numbers == [0] && stand.clock.sleeperCount == 4 }
                stand.clock.advance(by: .seconds(30))
                await until { stand.subscribers(.legacy) == 1 }
            } else {
                await until { received.end != nil }
                #expect(throws: ZooError.self) { try received.end?.get() }
            }
            received.task.cancel()
        }
    }

    @Test func `what both sides may have missed is a gap, followed by what the list has of it`() async throws {
        let stand = try await StreamStand(.candidateOnly)
        stand.list.withLock { $0 = [1, 2, 3] }
        let received = ReceivedElements(stand.events())
        stand.candidate.emit(0)
        await until { received.numbers == [0] }
        try stand.control.move(to: .legacyOnly)
        await until { stand.subscribers(.legacy) == 1 }
        stand.candidate.fail(ZooError(meaning: .failed))
        stand.legacy.emit(3)
        await until { received.elements.count == 5 }
        let events = (0...3).map { SimulatedEvent(number: $0) }
        #expect(
            received.elements == [
                .event(events[0], isEcho: false), .gap(after: 0, before: 3), .recovered(events[1]),
                .recovered(events[2]), .event(events[3], isEcho: false),
            ]
        )
        received.task.cancel()
    }

    @Test func `a side that never acknowledges the subscription is given up`() async throws {
        let stand = try await StreamStand(.candidateOnly, acknowledges: true)
        let received = ReceivedElements(stand.events())
        try stand.control.move(to: .legacyOnly)
        await until { stand.subscribers(.legacy) == 1 && stand.clock.sleeperCount == 2 }
        stand.clock.advance(by: .seconds(30))
        await until { received.end != nil }
        #expect(throws: StreamHandoverTimedOut(side: .legacy)) { try received.end?.get() }
    }

    @Test func `a side that ends in the middle of a move is asked for nothing more`() async throws {
        let stand = try await StreamStand(.legacyOnly, acknowledges: true)
        let received = ReceivedElements(stand.events())
        stand.legacy.emit(0)
        await until { received.numbers == [0] }
        try stand.control.move(to: .candidateShadowed(sample: .all))
        #expect(stand.session.cutOver())
        await until { stand.subscribers(.candidate) == 1 }
        stand.legacy.finish()
        await until { stand.legacy.ends > 0 }
        for _ in 0..<1000 { await Task.yield() }
        stand.candidate.emit(.acknowledged)
        await until { received.elements.last == .acknowledged }
        let first = SimulatedElement.event(SimulatedEvent(number: 0), isEcho: false)
        #expect(received.elements == [first, .gap(after: 0, before: nil), .acknowledged])
        #expect(stand.legacy.ends == 1)
        received.task.cancel()
    }

    @Test func `a state is delivered again when the other side takes over`() async throws {
        let stand = try await StreamStand(.candidateOnly)
        let isCurrent: @Sendable (SimulatedElement) -> Bool = { $0 == .acknowledged }
        let received = ReceivedElements(stand.events(handover: .state(isCurrent: isCurrent)))
        stand.candidate.emit(0)
        await until { received.elements.count == 1 }
        try stand.control.move(to: .legacyOnly)
        await until { stand.subscribers(.legacy) == 1 }
        stand.legacy.emit(7)
        stand.candidate.emit(0)
        await until { received.elements.count == 2 }
        stand.legacy.emit(.acknowledged)
        await until { stand.subscribers(.candidate) == 0 }
        stand.legacy.emit(1)
        await until { received.elements.count == 4 }
        #expect(received.numbers == [0, 0, 1])
        #expect(received.elements[2] == .acknowledged)
        received.task.cancel()
    }

    @Test func `a side that takes long to open is not believed to be subscribed before it is`() async throws {
        let opening = TestGate()
        let stand = try await StreamStand(.candidateOnly, opening: opening)
        let received = ReceivedElements(stand.events())
        stand.candidate.emit(0)
        await until { received.numbers == [0] }
        try stand.control.move(to: .legacyOnly)
        await until { opening.arrivals == 1 && stand.clock.sleeperCount >= 2 }
        for _ in 0..<3 {
            stand.clock.advance(by: .seconds(5))
            for _ in 0..<1000 { await Task.yield() }
        }
        stand.candidate.emit(1)
        await until { received.numbers == [0, 1] }
        opening.open()
        for time in [20, 22, 24] {
            await until { stand.clock.deadlines.contains(.seconds(time)) }
            #expect(stand.subscribers(.legacy) == 1 && stand.subscribers(.candidate) == 1)
            stand.clock.advance(by: .seconds(time) - stand.clock.now.offset)
        }
        await until { stand.subscribers(.candidate) == 0 }
        stand.legacy.emit(2)
        await until { received.elements.count == 3 }
        #expect(received.numbers == [0, 1, 2])
        received.task.cancel()
    }

    @Test func `the old side is not left before it was asked for all it has, however late that is`() async throws {
        let executor = ManualExecutor()
        let stand = try await StreamStand(.legacyOnly, executor: executor)
        let events = stand.events()
        let first = Log<Int?>()
        Task {
            var iterator = events.makeAsyncIterator()
            first.add(try await iterator.next(isolation: nil)?.number)
        }
        stand.legacy.emit(0, 1, 2)
        await until {
            executor.drain()
            return first.entries == [0]
        }
        try stand.control.move(to: .candidateShadowed(sample: .all))
        #expect(stand.session.cutOver())
        // The job that asks the legacy side was queued last. It waits while all others run.
        for _ in 1..<executor.count { executor.run(0) }
        func runOthers() { while executor.count > 1 { executor.run(1) } }
        await until {
            runOthers()
            return stand.subscribers(.candidate) == 1 && stand.clock.deadlines.contains(.seconds(5))
        }
        for _ in 0..<9 {
            stand.clock.advance(by: .seconds(1))
            runOthers()
        }
        stand.candidate.emit(3)
        runOthers()
        let received = ReceivedElements(events)
        await until {
            executor.drain()
            stand.clock.advance(by: .seconds(1))
            return received.numbers.last == 3
        }
        #expect(received.numbers == [1, 2, 3])
        received.task.cancel()
    }
}
