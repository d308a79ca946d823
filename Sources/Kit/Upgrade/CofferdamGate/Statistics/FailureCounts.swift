/// Failures out of a total: the integers from which every rule of the gate is computed, so that each result can be
/// recomputed.
public struct FailureCounts: Sendable, Hashable, Codable {
    /// k: the number of failures, mismatches or slow units.
    public var failures: Int
    /// n: the total, including the failures.
    public var total: Int

    /// - Parameters:
    ///   - failures: 0 to `total`. Counts outside this range are evidence for nothing: see `isPossible`.
    public init(_ failures: Int, of total: Int) {
        self.failures = failures
        self.total = total
    }

    package static let none = FailureCounts(0, of: 0)

    /// Whether the counts are consistent.
    package var isPossible: Bool { failures >= 0 && failures <= total }
    /// n − k.
    package var successes: Int { total - failures }
    /// k/n; nil if nothing was counted. For display: no verdict is based on it alone.
    public var rate: Double? { total > 0 ? Double(failures) / Double(total) : nil }

    package static func + (a: FailureCounts, b: FailureCounts) -> FailureCounts {
        FailureCounts(a.failures + b.failures, of: a.total + b.total)
    }
}

extension FailureCounts: CustomStringConvertible {
    /// "3 of 1000".
    public var description: String { "\(failures) of \(total)" }
}
