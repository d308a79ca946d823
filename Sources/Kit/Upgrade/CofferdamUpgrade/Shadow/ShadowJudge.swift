import Cofferdam

/// One side's answer to a call, in the form that is compared.
enum ComparedAnswer<Output: Sendable>: Sendable {
    case value(Output)
    /// An error that is an answer, by its kind.
    case error(kind: String)
    /// The side failed with this kind of error.
    case failed(kind: String)
    case timedOut
}

/// Compares two sides' answers to one call.
struct ShadowJudge<Output: Sendable>: Sendable {
    let comparator: Comparator<Output>
    let expectations: Expectations
    /// The operation's name.
    let subject: String

    /// The path of a difference in which at least one answer is an error.
    static var errorPath: String { "(error)" }

    /// - Parameter again: asks the legacy side once more, to see whether it agrees with itself.
    func compare(
        legacy: ComparedAnswer<Output>,
        candidate: ComparedAnswer<Output>,
        again: () async -> ComparedAnswer<Output>
    ) async -> JudgedComparison {
        switch (legacy, candidate) {
        case (.timedOut, _): return JudgedComparison(.timedOut(.legacy))
        case (_, .timedOut): return JudgedComparison(.timedOut(.candidate))
        case (.failed(let legacy), .failed(let candidate)):
            return JudgedComparison(legacy == candidate ? .bothFailedAlike : .bothFailedUnlike)
        case (.failed, _): return JudgedComparison(.legacyFailed)
        case (_, .failed): return JudgedComparison(.candidateFailed)
        default: break
        }
        let differences = differences(legacy, candidate)
        guard !differences.isEmpty else { return JudgedComparison(.match) }
        let expected = expectations.current
        let (outcome, expectation) = expected.outcome(of: differences)
        guard outcome == .mismatch else { return JudgedComparison(outcome, differences, expectation: expectation) }
        let unexpected = expected.unexpected(differences)
        let noise = Set(self.differences(legacy, await again()).map(\.path))
        let left = unexpected.filter { !noise.contains($0.path) }
        return left.isEmpty ? JudgedComparison(.noisy, unexpected) : JudgedComparison(.mismatch, left)
    }

    /// Compares errors by their kind. A side that failed has no answer to compare.
    private func differences(_ one: ComparedAnswer<Output>, _ other: ComparedAnswer<Output>) -> [Difference] {
        switch (one, other) {
        case (.value(let one), .value(let other)):
            return comparator.differences(legacy: one, candidate: other, subject: subject)
        case (.failed, _), (_, .failed), (.timedOut, _), (_, .timedOut): return []
        case (_, _):
            guard one.kind != other.kind else { return [] }
            return [Difference(subject: subject, path: Self.errorPath, legacy: one.kind, candidate: other.kind)]
        }
    }
}

extension ComparedAnswer {
    /// The error's kind; nil for a value.
    fileprivate var kind: String? {
        switch self {
        case .value, .timedOut: nil
        case .error(let kind), .failed(let kind): kind
        }
    }
}

/// The result of a comparison.
struct JudgedComparison: Sendable {
    var outcome: ComparisonOutcome
    var differences: [Difference]
    var expectation: String?

    init(_ outcome: ComparisonOutcome, _ differences: [Difference] = [], expectation: String? = nil) {
        self.outcome = outcome
        self.differences = differences
        self.expectation = expectation
    }
}
