/// An operation of which a family's rules say nothing: each has a row all the same, which is skipped and tells why.
public struct ExemptOperation: Sendable, Hashable {
    let name: String
    let reason: String

    /// Exempts an operation, for a reason that reports show.
    ///
    /// - Parameter reason: "the vendor is not asked".
    public init(_ name: String, because reason: String) {
        self.name = name
        self.reason = reason
    }

    /// - Parameter rules: those of another operation of the kind.
    func rows<Subject>(of rules: [Rule<Subject>]) -> (name: String, rules: [Rule<Subject>]) {
        (name, rules.map { $0.inapplicable(because: reason) })
    }
}
