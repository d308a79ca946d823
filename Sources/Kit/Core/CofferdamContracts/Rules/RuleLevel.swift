/// How binding a rule is.
public enum RuleLevel: String, Sendable, Hashable, Codable {
    case must = "M"
    case should = "S"
    /// Applies only if the capability is declared.
    case optional = "O"
    /// Seeded and repeated.
    case stochastic = "X"
}
