/// What money can be in.
enum Currency: String, Sendable, Hashable, CaseIterable, Codable {
    case eur = "EUR"
    case jpy = "JPY"
    case kwd = "KWD"

    /// How many decimals an amount has.
    var decimals: Int {
        switch self {
        case .eur: 2
        case .jpy: 0
        case .kwd: 3
        }
    }
}
