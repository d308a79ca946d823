#if Sandbox
import Foundation
import MenagerieV1
import SanctuaryDomain

/// Amounts in hundredths of any currency, through `Double`.
enum NaiveMoney {
    static func read(_ minorUnits: Int64, in currency: Currency) -> Money? {
        Money(decimal: String(format: "%.2f", Double(minorUnits) / 100), currency: currency)
    }
}

/// Statuses by name: paid is paid.
enum NaiveOrderStatus {
    static func read(_ raw: String) -> OrderStatus {
        switch raw {
        case "paid": .captured
        case "shipped": .shipped
        case "cancelled": .cancelled
        default: .pending
        }
    }
}

/// Whole seconds.
enum NaiveDates {
    static func read(_ date: Date) -> Instant {
        Instant(millisecondsSince1970: Int64(date.timeIntervalSince1970) * 1000)
    }
}

/// Five groups and no more.
enum NaiveGroup {
    static func read(_ raw: String) -> AnimalGroup {
        let group = AnimalGroup(raw)
        return group.isUnknown ? .other : group
    }
}

/// By the status alone; anything unknown is a server error.
enum NaiveErrors {
    static func read(_ error: NSError) -> SanctuaryError {
        let code: SanctuaryError.Code =
            switch error.code {
            case 401: .authenticationRequired
            case 404: .notFound
            case 429: .rateLimited
            default: .unavailable
            }
        return SanctuaryError(code, error.localizedDescription)
    }

    /// Any number counts as a wait.
    static func retryAfter(_ error: NSError) -> Duration? {
        (error.userInfo[MenagerieRetryAfterKey] as? NSNumber).map { .seconds($0.doubleValue) }
    }
}
#endif
