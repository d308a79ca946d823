import CofferdamContracts
import SanctuaryContracts
import SanctuaryDomain

// Reads the vendor's odd payloads.
extension PayloadOddity {
    /// The error of a field that cannot be read.
    ///
    /// - Parameter path: the record's path in the answer: "items[3]", or "" for the whole.
    func unreadable(at path: String) -> SanctuaryError {
        let (field, what) =
            switch self {
            case .missing(let field): (field, "missing")
            case .null(let field): (field, "null")
            case .empty(let field): (field, "a text")
            case .extraField, .unknownValue: ("", "odd")
            }
        return SanctuaryError(.decoding, "a field is \(what)", subject: path.isEmpty ? field : "\(path).\(field)")
    }
}

extension FakeState {
    /// The order as the port shows it.
    func read(_ order: Order, at path: String) throws(SanctuaryError) -> Order {
        var order = order
        switch oddities[.order(order.id)] {
        case nil, .extraField: break
        case .unknownValue(let raw): order.status = .unknown(raw)
        case .empty("status"): order.status = .unknown("")
        case .some(let oddity): throw oddity.unreadable(at: path)
        }
        if let line = order.lines.firstIndex(where: { $0.quantity < 1 }) {
            let place = (path.isEmpty ? "" : "\(path).") + "lines[\(line)].quantity"
            throw SanctuaryError(.decoding, "a quantity below 1", subject: place)
        }
        return order
    }

    /// The message as the port shows it.
    func read(_ message: Message, at path: String) throws(SanctuaryError) -> Message {
        var message = message
        switch oddities[.message(message.id)] {
        case nil, .extraField, .unknownValue: break
        case .empty("text"): message.text = ""
        case .empty("author"): message.author = ""
        case .some(let oddity): throw oddity.unreadable(at: path)
        }
        try message.sentAt.check(at: path, "sentAt")
        return message
    }

    /// The accessory as the port shows it.
    func read(_ accessory: Accessory, at path: String) throws(SanctuaryError) -> Accessory {
        var accessory = accessory
        switch oddities[.accessory(accessory.id)] {
        case nil, .extraField, .unknownValue: break
        case .empty("name"): accessory.name = ""
        case .some(let oddity): throw oddity.unreadable(at: path)
        }
        try accessory.lastSeen.check(at: path, "lastSeen")
        return accessory
    }
}

extension Instant {
    /// - Throws: `decoding` for a time after the year 9999, for which the vendor's form of times has no room.
    fileprivate func check(at path: String, _ field: String) throws(SanctuaryError) {
        guard millisecondsSince1970 < 253_402_300_800_000 else {
            throw SanctuaryError(.decoding, "not a valid time", subject: path.isEmpty ? field : "\(path).\(field)")
        }
    }
}

/// Reads each element, by its position in the answer.
func readEach<Value, Result>(
    _ values: [Value],
    _ read: (Value, _ path: String) throws(SanctuaryError) -> Result
) throws(SanctuaryError) -> [Result] {
    var results: [Result] = []
    for (index, value) in values.enumerated() { results.append(try read(value, "items[\(index)]")) }
    return results
}
