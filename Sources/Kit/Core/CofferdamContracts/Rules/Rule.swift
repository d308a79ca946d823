/// One numbered promise of a port, with the check that an adapter keeps it.
///
/// A plain value, independent of any test framework: tests, commands and apps run the same rules.
public struct Rule<Subject: Sendable>: Sendable {
    /// Drives a subject and returns the violations that it finds.
    public typealias Body = @Sendable (_ subject: Subject, _ context: RuleContext) async throws -> [Violation]

    /// The rule's number, such as `LIST-01`, or `shop/LIST-01` for a project's own.
    public let id: RuleID
    /// The port's operation that the rule checks: "animals". Nil if the rule is not about a single operation.
    public private(set) var operation: String?
    /// The promise in one sentence.
    let title: String
    /// How binding the promise is.
    public let level: RuleLevel
    /// The capabilities that an adapter must declare for the rule to apply.
    public private(set) var requires: Set<CapabilityTag>
    private(set) var consults: Set<CapabilityTag>
    /// The harness capabilities that judging the rule requires.
    public private(set) var harnessCapabilities: Set<HarnessCapability>
    let consultedHarnessCapabilities: Set<HarnessCapability>
    /// How long each wait of the rule may take, on the run's clock.
    package private(set) var bound: Duration
    /// Why the rule cannot check its operation, so that it is skipped on every adapter; nil if it can.
    package private(set) var inapplicability: String?
    private(set) var body: Body

    /// Creates a rule whose check is `body`.
    ///
    /// - Parameters:
    ///   - consults: the capabilities that change what the rule checks.
    ///   - consultedHarnessCapabilities: the harness capabilities that let the rule look closer.
    ///   - bound: how long each wait of the rule may take, on the run's clock.
    ///   - body: drives the subject and returns the violations. A thrown error is a violation too, except for
    ///     ``UnmetRequirements``.
    public init(
        _ id: RuleID,
        _ title: String,
        level: RuleLevel = .must,
        requires: Set<CapabilityTag> = [],
        consults: Set<CapabilityTag> = [],
        harnessCapabilities: Set<HarnessCapability> = [],
        consultedHarnessCapabilities: Set<HarnessCapability> = [],
        bound: Duration = .seconds(10),
        body: @escaping Body
    ) {
        self.id = id
        self.title = title
        self.level = level
        self.requires = requires
        self.consults = consults
        self.harnessCapabilities = harnessCapabilities
        self.consultedHarnessCapabilities = consultedHarnessCapabilities
        self.bound = bound
        self.body = body
    }

    /// Returns the same rule for one operation.
    public func of(_ operation: String) -> Rule {
        var rule = self
        rule.operation = operation
        return rule
    }

    /// Returns the same rule with a bound of at most `limit`, for an adapter with a short deadline. (For a slow
    /// machine, use the patience of ``ContractRunner``.)
    public func bounded(by limit: Duration) -> Rule {
        var rule = self
        rule.bound = min(bound, limit)
        return rule
    }

    /// Why the rule would prove nothing about an adapter; nil if it would prove something. A call that the adapter's
    /// own deadline ends within the rule's bound looks like one that ended as the rule requires.
    func reasonToRefuse(on adapter: AdapterUnderTest<Subject>) -> String? {
        guard let deadline = adapter.deadline, bound >= deadline else { return nil }
        return
            "refused: the rule waits \(bound), and \(adapter.name) gives up a call after \(deadline) by itself, so the rule "
            + "could not tell the two apart; give the rule a smaller bound, with bounded(by:), or the adapter "
            + "a longer deadline"
    }

    /// Returns the same rule with further consulted capabilities.
    public func consulting(_ tags: Set<CapabilityTag>) -> Rule {
        var rule = self
        rule.consults.formUnion(tags)
        return rule
    }

    /// Returns the same rule with further required capabilities of the adapter and its harness.
    public func requiring(_ tags: Set<CapabilityTag> = [], harnessCapabilities: Set<HarnessCapability> = []) -> Rule {
        var rule = self
        rule.requires.formUnion(tags)
        rule.harnessCapabilities.formUnion(harnessCapabilities)
        return rule
    }

    /// Returns the same rule, skipped for its operation with this reason.
    ///
    /// - Parameter reason: why the rule cannot check the operation: "others may wait for the same search".
    public func inapplicable(because reason: String) -> Rule {
        var rule = self
        rule.inapplicability = reason
        rule.body = { _, _ in throw UnmetRequirements(inapplicability: reason) }
        return rule
    }

    /// "LIST-01", or "LIST-01 of animals".
    public var name: String { operation.map { "\(id) of \($0)" } ?? id.rawValue }

    /// The rule's line in the contract's canonical text.
    var canonicalLine: String {
        "\(name) \(level.rawValue) [\(requires.map(\.rawValue).sorted().joined(separator: ","))] \(title)"
    }
}

extension Sequence {
    /// Returns the same rules with bounds of at most `limit`.
    public func bounded<Subject>(by limit: Duration) -> [Rule<Subject>] where Element == Rule<Subject> {
        map { $0.bounded(by: limit) }
    }
}

/// The canonical text of a contract: one line for each rule and operation, sorted. Its hash is the digest in verdicts.
package func contractText<Subject>(of rules: some Sequence<Rule<Subject>>) -> String {
    rules.map(\.canonicalLine).sorted().map { $0 + "\n" }.joined()
}
