public import Cofferdam  // conforms to PortInterceptor
import CofferdamSupport
public import CofferdamUpgrade  // the meanings of errors

/// A way in which an instance misbehaves.
public enum ScenarioFault: Sendable, Hashable {
    /// That share of the reads returns different data.
    case wrong(share: Double)
    /// That share of the calls takes that many times the round trip.
    case slow(share: Double, times: Int)
    /// Every call fails without an answer, half of the writes after they took effect, and one call in that many crashes
    /// the app. New streams are refused, and open ones end.
    case crashing(calls: Int)
    /// Every call is refused before anything is sent. New streams are refused, and open ones end.
    case refusing
    /// Calls are alternately answered and refused, that many at a time. While calls are refused, so are new streams.
    case refusingInTurns(calls: Int)
    /// The most frequent write fails for that share of the units, except as the first call of a visit.
    case failingLater(units: Double)
    /// Every write is rejected with an error that counts as an answer.
    case answering
    /// Calls never return for that share of the units.
    case hanging(units: Double)
    /// The app relaunches after that many visits, and then the instance takes that long to open.
    case openingLate(by: Duration, visits: Int)
    /// An hour after the upgrade has arrived, every call is refused. New streams are refused, and open ones end.
    case breakingLater
}

/// Intercepts the calls to a port and injects a scenario's fault. `PortOperation.spoiled(by:)` makes wrong answers.
///
/// A trap would end the reporting process. A simulated crash therefore ends the app's part of the upgrade only, with all
/// calls in flight.
public struct FaultInjector: PortInterceptor {
    /// Makes an error of the port with a given meaning: not sent, outcome unknown, or an answer.
    public typealias MakeError = @Sendable (FailureMeaning) -> any Error

    /// Nil for an instance without a fault.
    let fault: ScenarioFault?
    let since: Stage.Kind
    let control: StageControl
    let roundTrip: Duration
    let clock: any Clock<Duration>
    let process: RehearsedProcess
    let hours: PassedHours
    let failure: MakeError
    let seed: UInt64
    /// The operation that fails, for a fault of one operation only.
    let operation: String?
    let bucketing: Bucketing
    let streams = InjectedStreams()
    private let turns = Turns()

    init(
        _ fault: ScenarioFault?,
        since: Stage.Kind,
        control: StageControl,
        roundTrip: Duration,
        clock: any Clock<Duration>,
        process: RehearsedProcess,
        hours: PassedHours,
        seed: UInt64,
        operation: String?,
        bucketing: Bucketing,
        failure: @escaping MakeError
    ) {
        self.fault = fault
        self.since = since
        self.control = control
        self.roundTrip = roundTrip
        self.clock = clock
        self.process = process
        self.hours = hours
        self.seed = seed
        self.operation = operation
        self.bucketing = bucketing
        self.failure = failure
    }

    /// Whether any value has been changed.
    var hasSpoiled: Bool { turns.hasSpoiled }

    /// Delays the opening of the instance.
    func opening() async throws {
        let isFirst = turns.isFirstOpening()
        if case .openingLate(let time, _) = fault, !isFirst { try await clock.sleep(for: time) }
    }

    /// Passes the call on, delays it or fails it, depending on the scenario's fault.
    public func intercept<Port, Input, Output>(
        _ called: PortOperation<Port, Input, Output>,
        _ input: Input,
        next: @escaping @Sendable (Input) async throws -> Output
    ) async throws -> Output {
        try await call(called.traits, spoil: called.spoil) { try await next(input) }
    }

    /// Passes the stream on or breaks it, depending on the scenario's fault.
    public func interceptStream<Port, Input, Element>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input,
        next: @escaping @Sendable (Input) -> PortEvents<Element>
    ) -> PortEvents<Element> {
        stream { next(input) }
    }

    /// Makes the call, or fails it.
    private func call<Output: Sendable>(
        _ called: OperationTraits,
        spoil: ((inout Output) -> Void)?,
        _ body: () async throws -> Output
    ) async throws -> Output {
        var random = SplitMix64(seed: seed)
        let (number, turn, fault) = nextTurn(&random)
        let time = networkTime(number, &random)
        if time > .zero { try await clock.sleep(for: time) }
        switch fault {
        case nil, .openingLate: return try await body()
        case .wrong(let share):
            var value = try await body()
            if called.isReading, random.uniform() <= share, let spoil {
                spoil(&value)
                turns.spoil()
            }
            return value
        case .slow(let share, let times):
            if random.uniform() <= share { try await clock.sleep(for: roundTrip * times) }
            return try await body()
        case .crashing(let calls):
            if !called.isReading, random.uniform() <= 0.5 { _ = try await body() }
            guard (turn + 1).isMultiple(of: max(1, calls)) else { throw failure(.outcomeUnknown) }
            process.end()
            throw CancellationError()
        case .refusing, .refusingInTurns, .breakingLater: throw failure(.unsent)
        case .failingLater(let units):
            if let step = hit(units), step.index > 0, step.operation == operation { throw failure(.outcomeUnknown) }
            return try await body()
        case .answering:
            if !called.isReading { throw failure(.answer) }
            return try await body()
        case .hanging(let units):
            if hit(units) != nil { try await clock.sleep(for: Self.forEver) }
            return try await body()
        }
    }

    /// The current step, if its unit is among that share of the units.
    private func hit(_ units: Double) -> VisitStep? {
        VisitStep.current.flatMap { step in
            Double(bucketing.bucket(of: step.unit, for: .variants)) < units * 10_000 ? step : nil
        }
    }

    /// Longer than any rehearsal.
    private static var forEver: Duration { .seconds(1_000_000) }

    /// Whether new streams are refused now.
    var refusesStreams: Bool {
        guard let fault, isFaulty else { return false }
        return switch fault {
        case .wrong, .slow, .failingLater, .answering, .hanging, .openingLate: false
        case .crashing, .refusing, .breakingLater: true
        case .refusingInTurns(let calls): Self.isRefusingTurn(turns.turn ?? 0, of: calls)
        }
    }

    private var isFaulty: Bool {
        fault != nil && control.state.stage().kind.isAtLeast(since) && (fault != .breakingLater || hours.havePassed)
    }

    private static func isRefusingTurn(_ turn: Int, of calls: Int) -> Bool { turn / max(1, calls) % 2 == 1 }

    /// Simulates the network on both sides: each call takes some time, and a few take much longer. Without it, a busy
    /// machine would look like a slow SDK.
    private func networkTime(_ number: Int, _ random: inout SplitMix64) -> Duration {
        let usual = roundTrip * (1 + random.uniform()) / 2
        return number % Self.callsForLateOne == 0 ? usual + roundTrip * Self.lateTimes : usual
    }

    /// Late calls come at a fixed interval rather than at random: a hundred calls without a late one would make the
    /// next hundred look slow.
    private static let callsForLateOne = 50
    private static let lateTimes = 50

    /// The number of the call, its number since the fault began, and the fault; seeds `random` by the number.
    private func nextTurn(_ random: inout SplitMix64) -> (number: Int, turn: Int, fault: ScenarioFault?) {
        let (number, turn) = turns.next(isFaulty: isFaulty)
        random = SplitMix64(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        guard let turn else { return (number, 0, nil) }
        switch fault {
        case .refusingInTurns(let calls) where !Self.isRefusingTurn(turn, of: calls): return (number, turn, nil)
        case .crashing, .refusing, .breakingLater: if turn == 0 { streams.goDown() }
        default: break
        }
        return (number, turn, fault)
    }
}

/// Counts openings, calls, and calls since the fault began.
private final class Turns: Sendable {
    private let state = Mutex((calls: 0, since: Int?.none, isOpened: false, hasSpoiled: false))

    var hasSpoiled: Bool { state.withLock { $0.hasSpoiled } }

    func spoil() { state.withLock { $0.hasSpoiled = true } }

    /// The next call's number since the fault began; nil before it.
    var turn: Int? { state.withLock { state in state.since.map { state.calls - $0 } } }

    func isFirstOpening() -> Bool {
        state.withLock { state in
            defer { state.isOpened = true }
            return !state.isOpened
        }
    }

    func next(isFaulty: Bool) -> (number: Int, turn: Int?) {
        state.withLock { state in
            if isFaulty, state.since == nil { state.since = state.calls }
            defer { state.calls += 1 }
            return (state.calls, state.since.map { state.calls - $0 })
        }
    }
}

extension Stage.Kind {
    fileprivate func isAtLeast(_ other: Self) -> Bool {
        let all = Self.allCases
        return (all.firstIndex(of: self) ?? 0) >= (all.firstIndex(of: other) ?? 0)
    }
}
