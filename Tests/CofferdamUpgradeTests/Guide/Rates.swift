import Cofferdam

// snippet: port
/// The rates of exchange to the euro.
protocol Rates: Sendable {
    /// - Throws: `unknownCurrency`.
    func rate(of currency: String) async throws -> Double
}

enum RatesError: Error { case unknownCurrency, unreadable }
// end

// snippet: adapters
struct V1Rates: Rates {
    let bank: OldBank

    func rate(of currency: String) async throws -> Double {
        guard let rate = bank.quote(currency) else { throw RatesError.unknownCurrency }
        return rate
    }
}

struct V2Rates: Rates {
    let bank: NewBank

    func rate(of currency: String) async throws -> Double {
        guard let price = await bank.price(of: currency) else { throw RatesError.unknownCurrency }
        guard let rate = Double(price), rate.isFinite else { throw RatesError.unreadable }
        return rate
    }
}
// end

// snippet: table
enum RatesOperations {
    static let rate = PortOperation<any Rates, String, Double>("rate", .read) { try await $0.rate(of: $1) }
}

extension Intercepted: Rates where Port == any Rates {
    func rate(of currency: String) async throws -> Double {
        try await call(RatesOperations.rate, currency) { try await $0.rate(of: $1) }
    }
}
// end
