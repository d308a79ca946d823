/// Something that is known not to be as the contract wants it, where that is followed up, and until when (KIT-06).
///
/// The rule still runs: if it passes, or if the day has passed, the run fails.
public struct KnownDeviation: Sendable, Hashable, Codable {
    public var subject: Subject
    /// Why it is put up with.
    public var reason: String
    /// Where it is followed up: a ticket, a document.
    public var link: String
    /// The last day on which it counts.
    public var expires: CalendarDay

    public init(_ subject: Subject, reason: String, link: String, expires: CalendarDay) {
        self.subject = subject
        self.reason = reason
        self.link = link
        self.expires = expires
    }

    public enum Subject: Sendable, Hashable {
        /// The adapter violates the rule, with one operation or with any.
        case rule(RuleID, of: String? = nil, on: String)
        /// Adapters declare it, and no rule checks it yet.
        case uncheckedCapability(CapabilityTag)
        /// The adapter lacks what the one before it has, and whoever used it has been told.
        case lostCapability(CapabilityTag, by: String)

        var uncheckedCapability: CapabilityTag? {
            if case .uncheckedCapability(let tag) = self { tag } else { nil }
        }
    }

    /// From the day after ``expires`` on.
    public func hasExpired(on day: CalendarDay) -> Bool { day > expires }

    /// "known until 2026-12-01: the vendor is at it (https://…)".
    public var note: String { "known until \(expires): \(reason) (\(link))" }

    var hasLink: Bool { !link.allSatisfy(\.isWhitespace) }
}

extension KnownDeviation.Subject: CustomStringConvertible {
    public var description: String {
        switch self {
        case .rule(let rule, let operation, let adapter): "\(rule)\(operation.map { " of \($0)" } ?? "") on \(adapter)"
        case .uncheckedCapability(let tag): "the unchecked capability \(tag)"
        case .lostCapability(let tag, let adapter): "the loss of \(tag) by \(adapter)"
        }
    }
}

/// `{"rule", "operation", "adapter"}`, without an operation for any, `{"unchecked"}` or `{"lost", "adapter"}`.
extension KnownDeviation.Subject: Codable {
    private enum CodingKeys: String, CodingKey { case rule, operation, adapter, unchecked, lost }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let rule = try container.decodeIfPresent(RuleID.self, forKey: .rule) {
            let operation = try container.decodeIfPresent(String.self, forKey: .operation)
            self = .rule(rule, of: operation, on: try container.decode(String.self, forKey: .adapter))
        } else if let tag = try container.decodeIfPresent(CapabilityTag.self, forKey: .lost) {
            self = .lostCapability(tag, by: try container.decode(String.self, forKey: .adapter))
        } else {
            self = .uncheckedCapability(try container.decode(CapabilityTag.self, forKey: .unchecked))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .rule(let rule, let operation, let adapter):
            try container.encode(rule, forKey: .rule)
            try container.encodeIfPresent(operation, forKey: .operation)
            try container.encode(adapter, forKey: .adapter)
        case .uncheckedCapability(let tag): try container.encode(tag, forKey: .unchecked)
        case .lostCapability(let tag, let adapter):
            try container.encode(tag, forKey: .lost)
            try container.encode(adapter, forKey: .adapter)
        }
    }
}
