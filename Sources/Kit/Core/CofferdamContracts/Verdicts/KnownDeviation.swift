/// A known failure of the contract, with its reason, its follow-up and its expiry date (KIT-06).
///
/// The rule still runs: if it passes, fails differently, or the deviation has expired, the run fails. With the outcome
/// `skipped` it is a rule that is known not to run on the candidate of an upgrade, although the old adapter keeps it.
public struct KnownDeviation: Sendable, Hashable {
    package var subject: Subject
    var reason: String
    /// Where it is tracked: a ticket, a document.
    package var link: String
    var expires: CalendarDay
    /// The expected kind of failure, or `skipped`.
    package var outcome: ContractReport.Outcome
    /// Whether it fails only sometimes, so that a pass does not fail the run.
    package var isIntermittent: Bool

    /// Accepts an outcome until a day.
    ///
    /// - Parameters:
    ///   - reason: why the outcome is tolerated.
    ///   - link: where it is tracked: a ticket, a document.
    ///   - expires: the last day on which it is valid.
    ///   - outcome: the expected kind of failure, or `skipped` for a rule that does not run on the candidate of an
    ///     upgrade: without it, the verdict is `unknown`.
    ///   - isIntermittent: whether it fails only sometimes, so that a pass does not fail the run.
    public init(
        _ subject: Subject,
        reason: String,
        link: String,
        expires: CalendarDay,
        outcome: ContractReport.Outcome = .failed,
        isIntermittent: Bool = false
    ) {
        self.subject = subject
        self.reason = reason
        self.link = link
        self.expires = expires
        self.outcome = outcome
        self.isIntermittent = isIntermittent
    }

    /// What deviates.
    public enum Subject: Sendable, Hashable {
        /// The adapter fails the rule, for one operation or for any.
        case rule(RuleID, of: String? = nil, on: String)
        /// Adapters declare it, and no rule checks it yet.
        case uncheckedCapability(CapabilityTag)
        /// The adapter lacks a capability that its predecessor has, and its users have been informed.
        case lostCapability(CapabilityTag, by: String)

        var uncheckedCapability: CapabilityTag? {
            if case .uncheckedCapability(let tag) = self { tag } else { nil }
        }
    }

    /// Whether the day is after ``expires``.
    package func hasExpired(on day: CalendarDay) -> Bool { day > expires }

    /// "known until 2026-12-01: the vendor is at it (https://…)".
    package var note: String { "known until \(expires): \(reason) (\(link))" }

    var hasLink: Bool { !link.allSatisfy(\.isWhitespace) }

    /// Whether it covers what a row shows on a day.
    package func excuses(_ row: ContractReport.Row, on day: CalendarDay) -> Bool {
        guard row.outcome == outcome, outcome != .passed, !hasExpired(on: day) else { return false }
        return isAbout(row)
    }

    /// Whether it covers a row's rule, operation and adapter.
    package func isAbout(_ row: ContractReport.Row) -> Bool {
        guard case .rule(row.rule, let operation, on: row.adapter) = subject else { return false }
        return operation == nil || operation == row.operation
    }
}

/// `outcome` is present unless it is `failed`, `intermittent` only if it is true.
extension KnownDeviation: Codable {
    private enum CodingKeys: String, CodingKey { case subject, reason, link, expires, outcome, intermittent }

    /// Decodes a deviation that ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(Subject.self, forKey: .subject),
            reason: try container.decode(String.self, forKey: .reason),
            link: try container.decode(String.self, forKey: .link),
            expires: try container.decode(CalendarDay.self, forKey: .expires),
            outcome: try container.decodeIfPresent(ContractReport.Outcome.self, forKey: .outcome) ?? .failed,
            isIntermittent: try container.decodeIfPresent(Bool.self, forKey: .intermittent) ?? false
        )
    }

    /// Encodes the deviation as a keyed container.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(subject, forKey: .subject)
        try container.encode(reason, forKey: .reason)
        try container.encode(link, forKey: .link)
        try container.encode(expires, forKey: .expires)
        if outcome != .failed { try container.encode(outcome, forKey: .outcome) }
        if isIntermittent { try container.encode(true, forKey: .intermittent) }
    }
}

extension KnownDeviation.Subject: CustomStringConvertible {
    /// The subject as reports name it.
    public var description: String {
        switch self {
        case .rule(let rule, let operation, let adapter): "\(rule)\(operation.map { " of \($0)" } ?? "") on \(adapter)"
        case .uncheckedCapability(let tag): "the unchecked capability \(tag)"
        case .lostCapability(let tag, let adapter): "the loss of \(tag) by \(adapter)"
        }
    }
}

/// Encoded as `{"rule", "operation", "adapter"}`, without `operation` for any operation, as `{"unchecked"}`, or as
/// `{"lost", "adapter"}`.
extension KnownDeviation.Subject: Codable {
    private enum CodingKeys: String, CodingKey { case rule, operation, adapter, unchecked, lost }

    /// Decodes a subject that ``encode(to:)`` wrote.
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

    /// Encodes the subject as a keyed container.
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
