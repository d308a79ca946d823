#if Sandbox
import Foundation
import MenagerieV2
import SanctuaryDomain

@testable import MenagerieV2Adapter

/// Amounts through `Double`, with a factor of a hundred.
enum NaiveMoney {
    static func read(_ source: MenagerieV2.Money) -> SanctuaryDomain.Money? {
        guard let amount = Double(source.amount), let currency = Currency(source.currency) else { return nil }
        return SanctuaryDomain.Money(minorUnits: Int64(exactly: (amount * 100).rounded(.down)) ?? 0, currency: currency)
    }

    static func write(_ money: SanctuaryDomain.Money) -> MenagerieV2.Money {
        let amount = String(format: "%.2f", Double(money.minorUnits) / 100)
        return MenagerieV2.Money(amount: amount, currency: money.currency.code)
    }
}

/// Foundation's parser, set to one of the two forms.
struct NaiveDates {
    var takesFractions = false

    func read(_ text: String) -> Instant? {
        let formatter = ISO8601DateFormatter()
        if takesFractions { formatter.formatOptions.insert(.withFractionalSeconds) }
        return formatter.date(from: text).map { Instant($0) }
    }
}

/// The table that served V1.
enum NaiveOrderStatus {
    static func read(_ source: MenagerieV2.OrderStatus) -> SanctuaryDomain.OrderStatus {
        switch source {
        case .paid: .authorized
        case .shipped: .shipped
        case .cancelled: .cancelled
        default: .pending
        }
    }
}

/// A dictionary: the last entry wins.
struct NaiveAnimalIDs {
    private var legacyOf: [String: Int] = [:]

    mutating func record(_ legacy: Int, _ uuid: String) { legacyOf[uuid] = legacy }

    func id(of uuid: String) -> AnimalID? { legacyOf[uuid].map { AnimalID("\($0)") } }
}

/// How V1's errors were distinguished: by their text, and 401 for anything forbidden.
enum NaiveErrors {
    static func read(_ error: any Error) -> any Error {
        guard let error = error as? MenagerieError else { return SanctuaryError(.unknown, "\(error)") }
        let text = "\(error)".lowercased()
        let code: SanctuaryError.Code =
            if text.contains("no such") || text.contains("not found") {
                .notFound
            } else if case .unauthenticated = error {
                .authenticationRequired
            } else if text.contains("not allowed") {
                .forbidden
            } else {
                .unavailable
            }
        return SanctuaryError(code, text, retryAfter: retryAfter(error))
    }

    /// A number of seconds, as V1's was.
    private static func retryAfter(_ error: MenagerieError) -> Duration? {
        switch error {
        case .rateLimited(let retryAt, _), .server(let retryAt, _): retryAt.map { .seconds($0.timeIntervalSince1970) }
        default: nil
        }
    }
}
#endif
