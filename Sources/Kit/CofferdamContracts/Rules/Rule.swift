/// One numbered promise of a port, and the check that an adapter keeps it.
///
/// A value, independent of any test framework: a test run, a command and a device's screen run the same rules.
public struct Rule<Subject: Sendable>: Sendable {
    public typealias Body = @Sendable (_ subject: Subject, _ context: RuleContext) async throws -> [Violation]

    public let id: RuleID
    /// The operation of the port that the rule is held against: "animals". Nil: a rule of no single operation.
    public private(set) var operation: String?
    /// The promise in one sentence.
    public let title: String
    public let level: RuleLevel
    /// What an adapter must declare for the rule to apply to it.
    public private(set) var requires: Set<CapabilityTag>
    /// What an adapter may declare for the rule to ask more of it, or something else.
    public private(set) var consults: Set<CapabilityTag>
    /// The harness capabilities that judging the rule requires.
    public private(set) var harnessCapabilities: Set<HarnessCapability>
    /// The harness capabilities that let the rule look closer.
    public let consultedHarnessCapabilities: Set<HarnessCapability>
    /// T: how long anything that the rule waits for may take, on the run's clock.
    public private(set) var bound: Duration
    /// Why its operation cannot be held against it: it is skipped then, on every adapter. Nil: it can.
    public private(set) var inapplicability: String?
    /// Drives the subject; returns what it found wrong. An error that it lets through is a violation as well, but for
    /// ``UnmetRequirements``.
    public private(set) var body: Body

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

    /// The same promise, made of one operation.
    public func of(_ operation: String) -> Rule {
        var rule = self
        rule.operation = operation
        return rule
    }

    /// The same rule, with a bound that is no greater than this: for an adapter with a short deadline. (For a slow
    /// machine there is the patience of ``ContractRunner``.)
    public func bounded(by most: Duration) -> Rule {
        var rule = self
        rule.bound = min(bound, most)
        return rule
    }

    /// Why it would say nothing of an adapter; nil: it does. A call that the adapter's own deadline ends within the rule's bound
    /// looks like one that ended as the rule wants it.
    func muteness(on adapter: AdapterUnderTest<Subject>) -> String? {
        guard let deadline = adapter.deadline, bound >= deadline else { return nil }
        return
            "refused: the rule waits \(bound), and \(adapter.name) gives up a call after \(deadline) by itself, so that the rule "
            + "could not tell what it waits for from that; give the rule a smaller bound, by bounded(by:), or the adapter "
            + "a longer deadline"
    }

    /// The same rule, whose operation asks for these as well.
    public func consulting(_ tags: Set<CapabilityTag>) -> Rule {
        var rule = self
        rule.consults.formUnion(tags)
        return rule
    }

    /// The same rule, for adapters that declare these as well, and harnesses that have these capabilities as well.
    public func requiring(_ tags: Set<CapabilityTag> = [], harnessCapabilities: Set<HarnessCapability> = []) -> Rule {
        var rule = self
        rule.requires.formUnion(tags)
        rule.harnessCapabilities.formUnion(harnessCapabilities)
        return rule
    }

    /// The rule where it says nothing of its operation: its case is skipped, and tells why.
    ///
    /// - Parameter reason: "others may wait for the same search".
    public func inapplicable(because reason: String) -> Rule {
        var rule = self
        rule.inapplicability = reason
        rule.body = { _, _ in throw UnmetRequirements(inapplicability: reason) }
        return rule
    }

    /// "LIST-01", or "LIST-01 of animals".
    public var name: String { operation.map { "\(id) of \($0)" } ?? id.rawValue }

    /// The rule as the contract's canonical text has it.
    var canonicalLine: String {
        "\(name) \(level.rawValue) [\(requires.map(\.rawValue).sorted().joined(separator: ","))] \(title)"
    }
}

extension Sequence {
    /// The same rules, with bounds that are no greater than this.
    public func bounded<Subject>(by most: Duration) -> [Rule<Subject>] where Element == Rule<Subject> {
        map { $0.bounded(by: most) }
    }
}

/// The canonical text of a contract: one line for each rule and operation, sorted. Equal texts are equal contracts; its hash is the
/// digest that verdicts carry.
public func contractText<Subject>(of rules: some Sequence<Rule<Subject>>) -> String {
    rules.map(\.canonicalLine).sorted().map { $0 + "\n" }.joined()
}
