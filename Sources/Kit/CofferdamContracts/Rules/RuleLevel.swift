/// How much a rule binds an adapter.
public enum RuleLevel: String, Sendable, Hashable, Codable {
    case must = "M"
    case should = "S"
    /// Applies only if the capability is declared.
    case optional = "O"
    /// Seeded and repeated.
    case stochastic = "X"
}
