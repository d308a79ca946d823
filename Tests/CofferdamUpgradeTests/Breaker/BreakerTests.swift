import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Testing

@Suite struct BreakerTests {
    private let clock = TestClock()

    private func breaker(_ change: (inout BreakerSettings) -> Void = { _ in }) throws -> Breaker {
        try Breaker(.defaults(change), clock: clock)
    }

    /// Makes calls one after the other, and returns how many the breaker let through.
    @discardableResult
    private func call(
        _ breaker: Breaker,
        _ outcome: BreakerOutcome = .succeeded,
        times: Int = 1,
        took duration: Duration = .milliseconds(1),
        isOtherSideEligible: Bool = true
    ) -> Int {
        var made = 0
        for _ in 0..<times {
            guard let permit = breaker.permit(isOtherSideEligible: isOtherSideEligible) else { continue }
            made += 1
            breaker.finish(permit, outcome, took: duration)
        }
        return made
    }

    @Test(arguments: [(49, BreakerState.closed), (50, .open), (100, .open), (0, .closed)])
    func `it opens when half of the last hundred failed`(failures: Int, state: BreakerState) throws {
        let breaker = try breaker()
        call(breaker, .succeeded, times: 100 - failures)
        call(breaker, .failed, times: failures)
        #expect(breaker.state == state)
    }

    @Test func `fewer calls than the minimum do not open it, even if all fail`() throws {
        let breaker = try breaker()
        call(breaker, .failed, times: 99)
        #expect(breaker.state == .closed)
        call(breaker, .failed)
        #expect(breaker.state == .open)
    }

    @Test func `only the last calls count`() throws {
        let breaker = try breaker()
        call(breaker, .failed, times: 49)
        call(breaker, .succeeded, times: 100)
        call(breaker, .failed, times: 49)
        #expect(breaker.state == .closed)
        call(breaker, .failed)
        #expect(breaker.state == .open)
    }

    @Test(arguments: [(99, BreakerState.closed), (100, .open)])
    func `it opens when all of the last hundred were slower than the limit`(slow: Int, state: BreakerState) throws {
        let breaker = try breaker { $0.slowLimit = .seconds(2) }
        call(breaker, times: 100 - slow, took: .seconds(2))
        call(breaker, times: slow, took: .milliseconds(2_001))
        #expect(breaker.state == state)
    }

    @Test func `an opening lasts until all calls are let through, and each epoch has its own`() throws {
        let breakers = try Breakers(.defaults { ($0.window, $0.minimumCalls, $0.trials) = (4, 4, 2) }, clock: clock)
        func progress() -> [BreakerOpening.Progress] { breakers.openings.map(\.progress) }
        _ = breakers[.legacy, "place"]
        #expect(breakers.openings == [])
        call(breakers[.legacy, "place"], .failed, times: 4)
        #expect(breakers.openings.map(\.operation) == ["place"] && breakers.openings.map(\.side) == [.legacy])
        #expect(progress() == [.open])
        clock.advance(by: .seconds(60))
        call(breakers[.legacy, "place"])
        #expect(breakers[.legacy, "place"].state == .halfOpen)
        #expect(progress() == [.open], "a trial is part of the opening")
        breakers.startEpoch()
        #expect(progress() == [.open])
        call(breakers[.legacy, "place"])
        #expect(progress() == [.over])
        breakers.startEpoch()
        #expect(breakers.openings == [])
    }

    @Test func `a cancelled call counts neither as a failure nor as a call`() throws {
        let breaker = try breaker()
        call(breaker, .cancelled, times: 1_000, took: .seconds(1_000))
        call(breaker, .failed, times: 99)
        #expect(breaker.state == .closed)
    }

    @Test func `an open breaker refuses calls for its time, and then lets ten through`() throws {
        let breaker = try breaker()
        call(breaker, .failed, times: 100)
        clock.advance(by: .milliseconds(59_999))
        #expect(call(breaker) == 0)
        clock.advance(by: .milliseconds(1))
        let permits = (0..<20).compactMap { _ in breaker.permit(isOtherSideEligible: true) }
        #expect(permits.count == 10)
        #expect(breaker.state == .halfOpen)
    }

    @Test(arguments: [(4, BreakerState.closed), (5, .open)])
    func `the ten trials decide by the same shares`(failures: Int, state: BreakerState) throws {
        let breaker = try breaker()
        call(breaker, .failed, times: 100)
        clock.advance(by: .seconds(60))
        call(breaker, .failed, times: failures)
        call(breaker, .succeeded, times: 9 - failures)
        #expect(breaker.state == .halfOpen)
        call(breaker, .succeeded)
        #expect(breaker.state == state)
        #expect(breaker.history.openings == 1)
    }

    @Test func `a cancelled trial gives its place back`() throws {
        let breaker = try breaker()
        call(breaker, .failed, times: 100)
        clock.advance(by: .seconds(60))
        #expect(call(breaker, .cancelled, times: 50) == 50)
        #expect(call(breaker, times: 20) == 20)
        #expect(breaker.state == .closed)
    }

    @Test func `trials that never end count as failed after the open time, and others follow them`() throws {
        let breaker = try breaker()
        call(breaker, .failed, times: 100)
        for round in 1...180 {
            clock.advance(by: .seconds(60))
            let hanging = (0..<20).compactMap { _ in breaker.permit(isOtherSideEligible: true) }
            #expect(hanging.count == 10)
            clock.advance(by: .milliseconds(59_999))
            #expect(breaker.state == .halfOpen)
            clock.advance(by: .milliseconds(1))
            #expect(breaker.permit(isOtherSideEligible: true) == nil)
            #expect(breaker.state == .open)
            #expect(breaker.history.hangingTrials == 10 * round)
        }
        #expect(breaker.history.openings == 1)
        #expect(breaker.history.longestSeconds > 60)
        clock.advance(by: .seconds(60))
        #expect(call(breaker, times: 20) == 20)
        #expect(breaker.state == .closed)
    }

    @Test func `a trial that ends late counts once, and hangs no more`() throws {
        let breaker = try breaker { $0.trials = 2 }
        call(breaker, .failed, times: 100)
        clock.advance(by: .seconds(60))
        let late = try #require(breaker.permit(isOtherSideEligible: true))
        clock.advance(by: .seconds(60))
        #expect(breaker.history.hangingTrials == 1)
        #expect(breaker.state == .halfOpen)
        breaker.finish(late, .succeeded, took: .seconds(61))
        #expect(breaker.history.hangingTrials == nil)
        #expect(breaker.state == .halfOpen)
        call(breaker)
        #expect(breaker.state == .open)
    }

    @Test func `without an open time, a trial may take as long as a call that is not slow`() throws {
        let breaker = try breaker {
            $0.openFor = .zero
            $0.slowLimit = .seconds(5)
        }
        call(breaker, .failed, times: 100)
        _ = breaker.permit(isOtherSideEligible: true)
        clock.advance(by: .milliseconds(4_999))
        #expect(breaker.history.hangingTrials == nil)
        clock.advance(by: .milliseconds(1))
        #expect(breaker.history.hangingTrials == 1)
    }

    @Test func `a call that ends in a later period is not counted there`() throws {
        let breaker = try breaker()
        let late = (0..<200).compactMap { _ in breaker.permit(isOtherSideEligible: true) }
        call(breaker, .failed, times: 100)
        clock.advance(by: .seconds(60))
        call(breaker)
        for permit in late { breaker.finish(permit, .failed, took: .zero) }
        #expect(breaker.state == .halfOpen)
        call(breaker, times: 9)
        #expect(breaker.state == .closed)
    }

    @Test func `it never refuses a call that no other side can answer, and ignores the result`() throws {
        let breaker = try breaker()
        call(breaker, .failed, times: 100)
        #expect(call(breaker, .succeeded, times: 500, isOtherSideEligible: false) == 500)
        #expect(breaker.state == .open)
        clock.advance(by: .seconds(60))
        let trials = (0..<10).compactMap { _ in breaker.permit(isOtherSideEligible: true) }
        #expect(call(breaker, .failed, times: 500, isOtherSideEligible: false) == 500)
        #expect(breaker.state == .halfOpen)
        for permit in trials { breaker.finish(permit, .succeeded, took: .zero) }
        #expect(breaker.state == .closed)
    }

    @Test func `its history covers one epoch`() throws {
        let breaker = try breaker()
        #expect(breaker.history == BreakerHistory())
        call(breaker, .failed, times: 100)
        clock.advance(by: .seconds(10))
        #expect(breaker.history == BreakerHistory(openings: 1, longestSeconds: 10, isOpen: true))
        breaker.startEpoch()
        clock.advance(by: .seconds(5))
        #expect(breaker.history == BreakerHistory(openings: 1, longestSeconds: 5, isOpen: true))
        // No call for an hour. The breaker's own pause has long passed by then.
        clock.advance(by: .seconds(3_600))
        #expect(breaker.history == BreakerHistory(openings: 1, longestSeconds: 50, isOpen: true))
        call(breaker, times: 10)
        #expect(breaker.history == BreakerHistory(openings: 1, longestSeconds: 50, isOpen: false))
        breaker.startEpoch()
        #expect(breaker.history == BreakerHistory())
    }

    @Test func `an opening lasts until the side recovers, and failing trials extend it without a second one`() throws {
        let breaker = try breaker()
        call(breaker, .failed, times: 100)
        for seconds in [60, 120] {
            clock.advance(by: .seconds(70))
            call(breaker, .failed, times: 10)
            #expect(breaker.history == BreakerHistory(openings: 1, longestSeconds: seconds, isOpen: true))
        }
        clock.advance(by: .seconds(5))
        #expect(breaker.history == BreakerHistory(openings: 1, longestSeconds: 125, isOpen: true))
        clock.advance(by: .seconds(55))
        call(breaker, times: 10)
        call(breaker, .failed, times: 100)
        clock.advance(by: .seconds(5))
        #expect(breaker.history == BreakerHistory(openings: 2, longestSeconds: 180, isOpen: true))
    }

    @Test func `failing trials in a new epoch count as its first opening`() throws {
        let breaker = try breaker()
        call(breaker, .failed, times: 100)
        clock.advance(by: .seconds(60))
        call(breaker, .failed)
        breaker.startEpoch()
        #expect(breaker.history == BreakerHistory())
        call(breaker, .failed, times: 9)
        clock.advance(by: .seconds(3))
        #expect(breaker.history == BreakerHistory(openings: 1, longestSeconds: 3, isOpen: true))
        clock.advance(by: .seconds(57))
        call(breaker, .failed, times: 10)
        clock.advance(by: .seconds(1))
        #expect(breaker.history == BreakerHistory(openings: 1, longestSeconds: 61, isOpen: true))
    }

    private static let wrong: [(String, @Sendable (inout BreakerSettings) -> Void)] = [
        ("window", { $0.window = 0 }), ("minimumCalls", { $0.minimumCalls = 0 }),
        ("minimumCalls", { $0.minimumCalls = 101 }),
        ("failedShare", { $0.failedShare = 0 }), ("failedShare", { $0.failedShare = 1.1 }),
        ("slowShare", { $0.slowShare = .nan }), ("openFor", { $0.openFor = .seconds(-1) }),
        ("trials", { $0.trials = 0 }),
    ]

    @Test(arguments: 0..<wrong.count) func `a setting out of its range is refused by name`(index: Int) {
        let (name, change) = Self.wrong[index]
        let error = #expect(throws: BreakerError.self) { try Breaker(.defaults(change), clock: clock) }
        #expect(error?.code == .invalidSetting)
        #expect(error?.message.hasPrefix(name) == true)
    }

    @Test func `many tasks may use it at once`() async throws {
        let breaker = try breaker()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for call in 0..<500 {
                        guard let permit = breaker.permit(isOtherSideEligible: true) else { continue }
                        breaker.finish(permit, (task + call).isMultiple(of: 3) ? .failed : .succeeded, took: .zero)
                    }
                }
            }
        }
        #expect(breaker.state == .closed)
    }
}
