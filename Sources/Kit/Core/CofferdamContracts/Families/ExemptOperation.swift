/// An operation that a family's rules do not cover. Each rule still has a row for it, skipped with the reason.
public struct ExemptOperation: Sendable, Hashable {
    let name: String
    let reason: String

    /// Exempts an operation, for a reason that reports show.
    ///
    /// - Parameter reason: why the rules do not apply: "the vendor is not asked".
    public init(_ name: String, because reason: String) {
        self.name = name
        self.reason = reason
    }

    /// Returns the skipped rows.
    ///
    /// - Parameter rules: the rules of another operation of the kind.
    func rows<Subject>(of rules: [Rule<Subject>]) -> (name: String, rules: [Rule<Subject>]) {
        (name, rules.map { $0.inapplicable(because: reason) })
    }
}
