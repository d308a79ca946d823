import Cofferdam

/// Says what two sides' attempts at one call say of each other.
struct ShadowJudge<Output: Sendable>: Sendable {
    let comparator: Comparator<Output>
    let settings: RouteSettings
    let subject: String

    /// The path of an answer that is an error on one side at least.
    static var errorPath: String { "(error)" }

    /// - Parameter again: asks the legacy side once more, to see whether it agrees with itself.
    func compare(
        legacy: Attempt<Output>,
        candidate: Attempt<Output>,
        again: () async -> Attempt<Output>
    ) async -> JudgedComparison {
        if legacy.hasTimedOut { return JudgedComparison(.timedOut(.legacy)) }
        if candidate.hasTimedOut { return JudgedComparison(.timedOut(.candidate)) }
        switch (failure(of: legacy), failure(of: candidate)) {
        case (let legacy?, let candidate?):
            return JudgedComparison(legacy == candidate ? .bothFailedAlike : .bothFailedUnlike)
        case (_?, nil): return JudgedComparison(.legacyFailed)
        case (nil, _?): return JudgedComparison(.candidateFailed)
        case (nil, nil): break
        }
        let differences = differences(legacy, candidate)
        guard !differences.isEmpty else { return JudgedComparison(.match) }
        let foreseen = settings.expectations.current
        let (outcome, expectation) = foreseen.outcome(of: differences)
        guard outcome == .mismatch else { return JudgedComparison(outcome, differences, expectation: expectation) }
        let unforeseen = foreseen.unforeseen(differences)
        let second = await again()
        let noise = failure(of: second) == nil ? Set(self.differences(legacy, second).map(\.path)) : []
        let left = unforeseen.filter { !noise.contains($0.path) }
        return left.isEmpty ? JudgedComparison(.noisy, unforeseen) : JudgedComparison(.mismatch, left)
    }

    /// How a side has failed; nil if it has answered.
    private func failure(of attempt: Attempt<Output>) -> String? {
        switch attempt.outcome {
        case .answered: nil
        case .failed(_, let kind), .notOpened(let kind): kind
        case .cancelled: "cancelled"
        case .refused: "refused"
        }
    }

    /// An error that is an answer is compared by its kind.
    private func differences(_ legacy: Attempt<Output>, _ candidate: Attempt<Output>) -> [Difference] {
        switch (legacy.result, candidate.result) {
        case (.success(let legacy), .success(let candidate)):
            return comparator.differences(legacy: legacy, candidate: candidate, subject: subject)
        case (let legacy, let candidate):
            let (legacy, candidate) = (kind(legacy), kind(candidate))
            guard legacy != candidate else { return [] }
            return [Difference(subject: subject, path: Self.errorPath, legacy: legacy, candidate: candidate)]
        }
    }

    /// Nil for a value.
    private func kind(_ result: Result<Output, any Error>) -> String? {
        switch result {
        case .success: nil
        case .failure(let error): settings.failures.kind(error)
        }
    }
}

/// What a judge found.
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
