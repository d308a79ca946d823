/// How the legacy side behaved while it answered all units. It belongs to the upgrade: the transition that ends
/// `legacyOnly` stores it in the `UpgradeState`, where every process of a fleet reads it.
public struct LegacyBaseline: Sendable, Hashable, Codable {
    /// The units that failed in any operation, of all units.
    package var units: FailureCounts
    /// The operations that were called, by name.
    package var operations: [String: Operation]
    /// The number of units by kind of answer.
    package var answers: [String: Int]
    /// The number of units that gave up waiting; nil in older records.
    package var gaveUp: Int?

    /// Creates a value from its parts.
    public init(
        units: FailureCounts,
        operations: [String: Operation] = [:],
        answers: [String: Int] = [:],
        gaveUp: Int? = nil
    ) {
        self.units = units
        self.operations = operations
        self.answers = answers
        self.gaveUp = gaveUp
    }

    /// How one operation behaved.
    public struct Operation: Sendable, Hashable, Codable {
        /// The units that failed, of those that called it.
        package var units: FailureCounts
        /// Whether it is a read, which the shadow can compare.
        package var isRead: Bool
        /// The duration in nanoseconds above which a call is slow: 1.5 times the p99, but at least the p99 plus a
        /// margin.
        package var slowNanoseconds: Int64

        /// Creates a value from its parts.
        public init(units: FailureCounts, isRead: Bool = true, slowNanoseconds: Int64) {
            self.units = units
            self.isRead = isRead
            self.slowNanoseconds = slowNanoseconds
        }
    }

    /// Returns the slow limit of an operation; nil if the legacy side was not called for it.
    public func slowLimit(of operation: String) -> Duration? {
        operations[operation].map { .nanoseconds($0.slowNanoseconds) }
    }
}

extension Duration {
    /// The duration in whole nanoseconds, clamped to 292 years.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : product + attoseconds / 1_000_000_000
    }
}
