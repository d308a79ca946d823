/// An operation of which a family's rules say nothing: each has a row all the same, which is skipped and tells why.
public struct ExemptOperation: Sendable, Hashable {
    let name: String
    /// "the vendor is not asked".
    let reason: String

    public init(_ name: String, because reason: String) {
        self.name = name
        self.reason = reason
    }

    /// - Parameter rules: those of another operation of the kind.
    func rows<Subject>(of rules: [Rule<Subject>]) -> (name: String, rules: [Rule<Subject>]) {
        (name, rules.map { $0.inapplicable(because: reason) })
    }
}
