import Cofferdam
package import SanctuaryDomain  // of the domain's values

/// A value of an open set on a tape: a known one by its name, any other by its raw spelling.
package struct Term<Value: OpenTerm>: TapeRecord {
    var known: String?
    var unknown: String?

    package init(_ value: Value) {
        known = Value.known.first { $0.value == value }?.key
        unknown = known == nil ? value.description : nil
    }

    package var value: Value {
        get throws {
            if let unknown { return .unknown(unknown) }
            guard let known, let value = Value.known[known] else {
                throw TapeError(.unreadable, "no \(Value.self) is named \(known ?? "nothing")")
            }
            return value
        }
    }
}

package protocol OpenTerm: Hashable, Sendable, CustomStringConvertible {
    static var known: [String: Self] { get }
    static func unknown(_ raw: String) -> Self
}

extension AnimalGroup: OpenTerm {
    package static var known: [String: AnimalGroup] {
        ["mammal": .mammal, "bird": .bird, "reptile": .reptile, "fish": .fish, "other": .other]
    }
}

extension OrderStatus: OpenTerm {
    package static var known: [String: OrderStatus] {
        [
            "pending": .pending, "authorized": .authorized, "captured": .captured, "shipped": .shipped,
            "cancelled": .cancelled, "partiallyRefunded": .partiallyRefunded,
        ]
    }
}
