package import Cofferdam  // operations, sides and differences
import struct Synchronization.Atomic

/// The breakers of one capability: one for each side and operation, created when the first call needs it.
///
/// A route asks them before a call that may fall back. Of other calls they measure only those that are timed, the first
/// ones of a session and of each operation, and refuse none: no other side is eligible.
public final class Breakers: Sendable {
    private struct Line: Hashable {
        var side: Side
        var operation: String
    }

    private let breakers = Mutex<[Line: Breaker]>([:])
    /// The candidate's breakers for named units, by operation.
    private let ofNamed = Mutex<[String: Breaker]>([:])
    private let make: @Sendable (OpenBreakers?) -> Breaker
    private let openCandidates = OpenBreakers()

    /// - Throws: ``BreakerError`` with `invalidSetting`.
    public init(
        _ settings: BreakerSettings = .defaults,
        clock: some Clock<Duration> = ContinuousClock()
    ) throws(BreakerError) {
        try settings.check()
        make = { Breaker(checked: settings, clock: clock, counted: $0) }
    }

    /// The breaker of a side and operation, for example to force it open.
    package subscript(_ side: Side, _ operation: String) -> Breaker {
        breakers.withLock { breakers in
            let line = Line(side: side, operation: operation)
            if let breaker = breakers[line] { return breaker }
            let breaker = make(side == .candidate ? openCandidates : nil)
            breakers[line] = breaker
            return breaker
        }
    }

    /// The candidate's breaker for calls of named units. It counts separately: it never stops another unit, and is part
    /// of neither ``isCandidateOpen`` nor ``history``.
    package func forNamedUnits(_ operation: String) -> Breaker {
        ofNamed.withLock { breakers in
            if let breaker = breakers[operation] { return breaker }
            let breaker = make(nil)
            breakers[operation] = breaker
            return breaker
        }
    }

    /// Whether the candidate is refused for any operation now.
    package var isCandidateOpen: Bool {
        openCandidates.count > 0 && candidates.contains { $0.isRefusing }
    }

    /// The worst history of the candidate's breakers in this epoch. If all open at once because the candidate is down,
    /// that is one opening.
    package var history: BreakerHistory {
        candidates.map(\.history).reduce(BreakerHistory()) { worst, next in
            BreakerHistory(
                openings: max(worst.openings, next.openings),
                longestSeconds: max(worst.longestSeconds, next.longestSeconds),
                isOpen: worst.isOpen || next.isOpen,
                hangingTrials: [worst.hangingTrials, next.hangingTrials].compactMap(\.self).max()
            )
        }
    }

    /// The breakers of both sides that opened in this epoch, in a fixed order, without those for named units.
    package var openings: [BreakerOpening] {
        breakers.withLock { $0 }
            .compactMap { line, breaker in
                breaker.opening.map { BreakerOpening(side: line.side, operation: line.operation, progress: $0) }
            }
            .sorted { ($0.operation, $0.side.rawValue) < ($1.operation, $1.side.rawValue) }
    }

    /// Forgets the history but not the states: see ``Breaker/startEpoch()``.
    package func startEpoch() {
        for breaker in breakers.withLock({ Array($0.values) }) { breaker.startEpoch() }
    }

    private var candidates: [Breaker] {
        breakers.withLock { $0.compactMap { $0.key.side == .candidate ? $0.value : nil } }
    }
}

/// The number of open breakers, readable without a lock.
final class OpenBreakers: Sendable {
    private let value = Atomic<Int>(0)

    var count: Int { value.load(ordering: .acquiring) }

    func change(by difference: Int) { value.wrappingAdd(difference, ordering: .acquiringAndReleasing) }
}
