/// What the legacy side does when nothing is moved, frozen at the start of an epoch.
public struct LegacyBaseline: Sendable, Hashable, Codable {
    /// Units that failed, of all.
    public var failures: FailureCounts
    /// Calls slower than ``slowNanoseconds``, of those that were timed.
    public var slow: FailureCounts
    /// Above it a call is slow: 1.5 times the p99.
    public var slowNanoseconds: Int64

    public init(failures: FailureCounts, slow: FailureCounts, slowNanoseconds: Int64) {
        self.failures = failures
        self.slow = slow
        self.slowNanoseconds = slowNanoseconds
    }

    /// Whether a call of that duration is slow.
    public func isSlow(_ duration: Duration) -> Bool { duration.wholeNanoseconds > slowNanoseconds }
}

/// Watches the legacy side before an epoch: the last calls' durations, and its units' failures.
public struct BaselineRecorder: Sendable {
    /// The fewest calls that say anything about a p99 with its tail.
    public static let fewestCalls = 10_000

    private var durations: [Int64] = []
    private var next = 0
    var units: UnitTally<CallOutcome>
    let capacity: Int
    /// How many of the last durations are not saved.
    private var unsaved = 0
    private let fewest: Int

    /// - Parameters:
    ///   - capacity: how many durations are kept, the last ones; at least `fewest`.
    ///   - fewest: from how many calls on there is a baseline. Fewer than ``fewestCalls`` are for rehearsals.
    public init(callsPerUnit: Int = 1, capacity: Int = 20_000, fewest: Int = fewestCalls) {
        self.capacity = max(fewest, capacity)
        self.fewest = max(1, fewest)
        units = UnitTally(callsPerUnit: callsPerUnit, capacity: self.capacity)
    }

    /// - Parameter duration: nil of what was not timed.
    public mutating func record(_ outcome: CallOutcome, took duration: Duration?, unit: String) {
        units.record(outcome, unit: unit)
        guard let duration else { return }
        unsaved = min(capacity, unsaved + 1)
        if durations.count < capacity {
            durations.append(duration.wholeNanoseconds)
        } else {
            durations[next] = duration.wholeNanoseconds
            next = (next + 1) % capacity
        }
    }

    /// The durations that were not saved before, in their order.
    mutating func takeDurations() -> [Int64] {
        let end = durations.count < capacity ? durations.count : next + capacity
        defer { unsaved = 0 }
        return ((end - unsaved)..<end).map { durations[$0 % capacity] }
    }

    /// So many of the last ones could not be saved.
    mutating func restoreDurations(_ count: Int) { unsaved = min(durations.count, unsaved + count) }

    /// Goes on where it was saved.
    ///
    /// - Parameter durations: by their places.
    mutating func resume(_ durations: [Int64], nextSlot: Int) {
        self.durations = durations.prefix(capacity).map { min(max(0, $0), Int64(1) << 60) }
        next = self.durations.count == capacity && (0..<capacity).contains(nextSlot) ? nextSlot : 0
        unsaved = 0
    }

    /// What was seen; nil from too few calls.
    public func frozen() -> LegacyBaseline? {
        guard durations.count >= fewest else { return nil }
        // Nearest rank: the ⌈0.99·n⌉th of the sorted.
        let sorted = durations.sorted()
        let p99 = sorted[(sorted.count * 99 + 99) / 100 - 1]
        let limit = p99 + p99 / 2
        return LegacyBaseline(
            failures: FailureCounts(units.counts[.failed, default: 0], of: units.counted),
            slow: FailureCounts(durations.count { $0 > limit }, of: durations.count),
            slowNanoseconds: limit
        )
    }
}

extension Duration {
    /// Rounded down; the largest number for what does not fit, 292 years.
    fileprivate var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : product + attoseconds / 1_000_000_000
    }
}
