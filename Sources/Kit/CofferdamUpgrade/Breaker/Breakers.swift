public import Cofferdam  // operations, sides and differences
import struct Synchronization.Atomic

/// The breakers of one capability: one for each side and operation, made when the first call needs it.
///
/// A route asks them before a call that goes by its plan. Calls that just go to the one side that answers all are not asked
/// nor measured: nobody else is eligible, so they could not be refused.
public final class Breakers: Sendable {
    private struct Line: Hashable {
        var side: Side
        var operation: String
    }

    private let breakers = Mutex<[Line: Breaker]>([:])
    /// The candidate's for named units, by operations.
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

    /// The breaker of that side and operation: for a person, who may force it open.
    public subscript(_ side: Side, _ operation: String) -> Breaker {
        breakers.withLock { breakers in
            let line = Line(side: side, operation: operation)
            if let breaker = breakers[line] { return breaker }
            let breaker = make(side == .candidate ? openCandidates : nil)
            breakers[line] = breaker
            return breaker
        }
    }

    /// The candidate's breaker of that operation for named units alone, which count apart: what they meet stops no other unit, and is
    /// neither in ``isCandidateOpen`` nor in ``history``.
    public func ofNamedUnits(_ operation: String) -> Breaker {
        ofNamed.withLock { breakers in
            if let breaker = breakers[operation] { return breaker }
            let breaker = make(nil)
            breakers[operation] = breaker
            return breaker
        }
    }

    /// Whether the candidate is kept from any operation now.
    public var isCandidateOpen: Bool {
        openCandidates.count > 0 && candidates.contains { $0.isRefusing }
    }

    /// What the candidate's did in this epoch, the worst of them: when all open at once, because their side is down, that is
    /// one opening.
    public var history: BreakerHistory {
        candidates.map(\.history).reduce(BreakerHistory()) { worst, next in
            BreakerHistory(
                openings: max(worst.openings, next.openings),
                longestSeconds: max(worst.longestSeconds, next.longestSeconds),
                isOpen: worst.isOpen || next.isOpen
            )
        }
    }

    /// Forgets the history, not the states: see ``Breaker/startEpoch()``.
    public func startEpoch() {
        for breaker in candidates { breaker.startEpoch() }
    }

    private var candidates: [Breaker] {
        breakers.withLock { $0.compactMap { $0.key.side == .candidate ? $0.value : nil } }
    }
}

/// How many breakers do not let everything through, to be read without a lock.
final class OpenBreakers: Sendable {
    private let value = Atomic<Int>(0)

    var count: Int { value.load(ordering: .acquiring) }

    func change(by difference: Int) { value.wrappingAdd(difference, ordering: .acquiringAndReleasing) }
}
