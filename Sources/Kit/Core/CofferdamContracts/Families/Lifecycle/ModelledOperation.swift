import Cofferdam

/// A call that changes something, and the models that the port is checked against, described for the rules LIFE-04 and
/// LIFE-05.
public struct ModelledOperation<Subject: Sendable, Input: Sendable, Output: Sendable>: RuleFamily {
    let call: PortCall<Subject, Input, Output>
    let offByOne: @Sendable (Input) -> Input
    let programs: [Rule<Subject>.Body]
    let histories: [Rule<Subject>.Body]

    /// Describes an operation whose answers a model predicts.
    ///
    /// - Parameters:
    ///   - call: the call whose effects the mutants spoil; the models must contain it.
    ///   - offByOne: a mistaken input for the mutants: another key, a number one higher.
    ///   - programs: the checks of random programs: ``ModelCheck/violations(of:_:)``.
    ///   - histories: the checks of concurrent programs: ``LinearizabilityCheck/violations(of:_:)``.
    public init(
        _ call: PortCall<Subject, Input, Output>,
        offByOne: @escaping @Sendable (Input) -> Input,
        programs: [Rule<Subject>.Body],
        histories: [Rule<Subject>.Body]
    ) {
        self.call = call
        self.offByOne = offByOne
        self.programs = programs
        self.histories = histories
    }

    /// LIFE-04 and LIFE-05.
    public var rules: [Rule<Subject>] {
        [
            Rule(
                "LIFE-04",
                "Randomly generated programs agree with a pure model after each step",
                bound: .seconds(30)
            ) { try await Self.violations($0, $1, programs) },
            Rule(
                "LIFE-05",
                "Concurrent programs are linearizable: some order of the calls gives the same answers on a model",
                level: .stochastic,
                bound: .seconds(30)
            ) { try await Self.violations($0, $1, histories) },
        ]
    }

    private static func violations(
        _ subject: Subject,
        _ context: RuleContext,
        _ checks: [Rule<Subject>.Body]
    ) async throws -> [Violation] {
        var violations: [Violation] = []
        for check in checks { violations += try await check(subject, context) }
        return violations
    }

    /// One for each of the ``rules``.
    public var mutants: [Mutant<Subject>] {
        [
            Mutant("LIFE-04", "is off by one") { subject, effect in
                call.replaced(in: subject) { clean, input in
                    effect.occurred()
                    return try await clean(offByOne(input))
                }
            },
            Mutant("LIFE-05", "loses an update: the second of two concurrent calls gets the first one's answer") {
                subject,
                effect in
                let shared = SharedAnswer<Output>()
                return call.replaced(in: subject) { clean, input in
                    let (answer, isOwn) = try await shared.answer { try await clean(input) }
                    if !isOwn { effect.occurred() }
                    return answer
                }
            },
        ]
    }
}

/// Gives all callers that ask while an answer is on its way the same answer.
private actor SharedAnswer<Answer: Sendable> {
    private var isUnderway = false
    private var waiting: [CheckedContinuation<Answer, any Error>] = []

    func answer(_ ask: @Sendable () async throws -> Answer) async throws -> (Answer, isOwn: Bool) {
        if isUnderway { return (try await withCheckedThrowingContinuation { waiting.append($0) }, false) }
        isUnderway = true
        // Long enough for another caller to arrive, if there is one.
        for _ in 0..<5_000 where waiting.isEmpty { await Task.yield() }
        let result: Result<Answer, any Error>
        do { result = .success(try await ask()) } catch { result = .failure(error) }
        isUnderway = false
        for continuation in waiting { continuation.resume(with: result) }
        waiting = []
        return (try result.get(), true)
    }
}
