/// Failures and total: the integers from which every rule of the gate is computed, so that anyone can recompute it.
public struct FailureCounts: Sendable, Hashable, Codable {
    /// k: failures, or mismatches, or slow ones.
    public var failures: Int
    /// n: all of them, the failures too.
    public var total: Int

    /// - Parameters:
    ///   - failures: not negative, and not more than `total`; what is not so counts as evidence for nothing (see
    ///     `isPossible`).
    public init(_ failures: Int, of total: Int) {
        self.failures = failures
        self.total = total
    }

    package static let none = FailureCounts(0, of: 0)

    /// Whether the counts are consistent.
    package var isPossible: Bool { failures >= 0 && failures <= total }
    /// n − k.
    package var successes: Int { total - failures }
    /// k/n; nil where nothing was counted. For reading: no verdict comes from it alone.
    public var rate: Double? { total > 0 ? Double(failures) / Double(total) : nil }

    package static func + (a: FailureCounts, b: FailureCounts) -> FailureCounts {
        FailureCounts(a.failures + b.failures, of: a.total + b.total)
    }
}

extension FailureCounts: CustomStringConvertible {
    /// "3 of 1000".
    public var description: String { "\(failures) of \(total)" }
}
