#if Sandbox
/// The currencies of the platform.
enum Currency: String, Sendable, Hashable, CaseIterable, Codable {
    case eur = "EUR"
    case jpy = "JPY"
    case kwd = "KWD"

    /// The number of decimals of an amount.
    var decimals: Int {
        switch self {
        case .eur: 2
        case .jpy: 0
        case .kwd: 3
        }
    }
}
#endif
