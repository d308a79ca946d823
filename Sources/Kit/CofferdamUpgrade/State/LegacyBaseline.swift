/// What the legacy side did while all units were on it. It belongs to the upgrade: the transition that ends `legacyOnly` freezes it
/// into the ``UpgradeState``, and every process of the fleet reads it there.
public struct LegacyBaseline: Sendable, Hashable, Codable {
    /// Units that failed in any of their operations, of all.
    public var units: FailureCounts
    /// By their names; those that were called.
    public var operations: [String: Operation]
    /// How many units got which kind of answer, by its kind.
    public var answers: [String: Int]
    /// How many units gave up waiting; nil in a record of before that was counted.
    public var gaveUp: Int?

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

    /// What one operation did.
    public struct Operation: Sendable, Hashable, Codable {
        /// The units that failed, of those that called it.
        public var units: FailureCounts
        /// Whether it is a read, which the shadow can compare.
        public var isRead: Bool
        /// A call that takes longer is slow, in nanoseconds: 1.5 times the p99, and a margin more than the p99.
        public var slowNanoseconds: Int64

        public init(units: FailureCounts, isRead: Bool = true, slowNanoseconds: Int64) {
            self.units = units
            self.isRead = isRead
            self.slowNanoseconds = slowNanoseconds
        }
    }

    /// From when on a call of that operation is slow; nil for one that the legacy side was not seen to do.
    public func slowLimit(of operation: String) -> Duration? {
        operations[operation].map { .nanoseconds($0.slowNanoseconds) }
    }
}

extension Duration {
    /// Rounded down; the largest number for what does not fit, 292 years.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : product + attoseconds / 1_000_000_000
    }
}
