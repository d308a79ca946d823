import Cofferdam

/// A subject that breaks exactly one rule: what shows that the rule can fail at all.
public struct Mutant<Subject: Sendable>: Sendable {
    /// The rule that must kill it.
    public let rule: RuleID
    /// What it does wrong: "drops the last item of a full page".
    public let name: String
    /// Whether it declares that it ends the process inside its rule: that kills it then, in a child process.
    public let crashes: Bool
    /// Decorates a clean subject; says to the effect when it has done the wrong thing.
    public let mutate: @Sendable (Subject, MutantEffect) -> Subject

    public init(
        _ rule: RuleID,
        _ name: String,
        crashes: Bool = false,
        mutate: @escaping @Sendable (Subject, MutantEffect) -> Subject
    ) {
        self.rule = rule
        self.name = name
        self.crashes = crashes
        self.mutate = mutate
    }
}

/// Records whether a mutant has done the wrong thing at all: one that never got to it proves nothing (KIT-03).
public final class MutantEffect: Sendable {
    private let count = Mutex(0)

    public init() {}

    /// To be called by the mutant where it deviates.
    public func occurred() { count.withLock { $0 += 1 } }

    public var hasOccurred: Bool { count.withLock { $0 } > 0 }
}
