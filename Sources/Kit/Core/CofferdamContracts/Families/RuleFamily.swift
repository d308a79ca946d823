/// Rules that belong together, and the mutants that show that they can fail.
///
/// The kit's families are descriptions of an operation, such as ``ListOperation``. A ``RuleSet`` holds rules and
/// mutants of your own.
public protocol RuleFamily<Subject>: Sendable {
    associatedtype Subject: Sendable

    var rules: [Rule<Subject>] { get }
    /// At least one for each rule of level M.
    var mutants: [Mutant<Subject>] { get }
}

extension RuleFamily {
    /// Returns the family with further requirements: its rules apply only to adapters that declare these capabilities,
    /// and are judged only on harnesses that have these harness capabilities. Elsewhere the rules and their mutants are
    /// skipped, with the reason.
    ///
    /// ```swift
    /// // Not every harness can make its vendor page oddly, or hold a search.
    /// let list = notes.requiring(harnessCapabilities: ["oddPaging"], in: ["LIST-03", "LIST-05"])
    /// let cancellation = calls.requiring(harnessCapabilities: ["heldSearches"], of: ["search"])
    /// ```
    ///
    /// - Parameters:
    ///   - rules: the rules that need them; nil for all.
    ///   - operations: the operations whose rules need them; nil for all. If operations are named, rules that are not
    ///     about a single operation stay as they are.
    public func requiring(
        _ tags: Set<CapabilityTag> = [],
        harnessCapabilities: Set<HarnessCapability> = [],
        in rules: Set<RuleID>? = nil,
        of operations: Set<String>? = nil
    ) -> RuleSet<Subject> {
        let demanding = self.rules.map { rule in
            guard rules?.contains(rule.id) ?? true else { return rule }
            guard let operations else { return rule.requiring(tags, harnessCapabilities: harnessCapabilities) }
            return rule.operation.map(operations.contains) ?? false
                ? rule.requiring(tags, harnessCapabilities: harnessCapabilities) : rule
        }
        return RuleSet(rules: demanding, mutants: mutants)
    }
}

/// A family given by its rules and mutants.
public struct RuleSet<Subject: Sendable>: RuleFamily {
    /// The family's rules, in the contract's order.
    public var rules: [Rule<Subject>]
    /// The mutants that break the rules.
    public var mutants: [Mutant<Subject>]

    /// Groups rules with the mutants that break them.
    public init(rules: [Rule<Subject>], mutants: [Mutant<Subject>]) {
        self.rules = rules
        self.mutants = mutants
    }
}
