/// How much a rule binds an adapter.
public enum RuleLevel: String, Sendable, Hashable, Codable {
    case must = "M"
    case should = "S"
    /// Only where the capability is declared.
    case optional = "O"
    /// Seeded and repeated.
    case stochastic = "X"
}
