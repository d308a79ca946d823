import Synchronization

/// A stand-in for a vendor's V1.
struct OldBank: Sendable {
    func quote(_ currency: String) -> Double? { ["USD": 1.09, "NOK": 11.4][currency] }
}

/// A stand-in for its V2.
final class NewBank: Sendable {
    private let isBroken = Mutex(false)

    func price(of currency: String) async -> String? {
        if isBroken.withLock({ $0 }) { return "NaN" }
        return ["USD": "1.09", "NOK": "11.4"][currency]
    }

    func breakDown() { isBroken.withLock { $0 = true } }
}
