public import Cofferdam  // operations, sides and differences

/// An expected difference with what was agreed about it: how often it may come, and until when.
public struct AgreedDifference: Sendable, Hashable, Codable {
    public var difference: ExpectedDifference
    /// The highest share of units that may show it, 0 to 1.
    public var rate: Double
    /// From then on it is a mismatch, in seconds since 1970; nil for never.
    public var expires: Int64?

    public init(_ difference: ExpectedDifference, rate: Double, expires: Int64? = nil) {
        self.difference = difference
        self.rate = rate
        self.expires = expires
    }

    /// What it covers, as text: it changes with it, and so makes a new epoch.
    var signature: String {
        let changes = difference.changes.map { change in
            let candidates = change.candidates.map { Self.quoted($0) }.joined(separator: "|")
            return "\(Self.quoted(change.legacy))→\(candidates)"
        }
        return "\(difference.path) \(changes.joined(separator: ", ")) \(rate)"
    }

    private static func quoted(_ text: String?) -> String { text.map { $0.debugDescription } ?? "nothing" }
}

/// What is foreseen at one moment; what has expired is gone.
public struct AgreedDifferences: Sendable, Hashable {
    public let all: [AgreedDifference]

    /// - Parameters:
    ///   - all: each with an id of its own; of two with one id the first one holds.
    ///   - now: seconds since 1970.
    public init(_ all: [AgreedDifference] = [], at now: Int64) {
        var seen: Set<String> = []
        self.all = all.filter { expectation in
            expectation.expires.map { now < $0 } ?? true && seen.insert(expectation.difference.id).inserted
        }
    }

    /// For ``GateSettings/expectedRates``.
    public var rates: [String: Double] { byID(\.rate) }
    /// For ``EpochKey/expectations``: an expectation that is changed, added or has expired starts a new epoch.
    public var signatures: [String: String] { byID(\.signature) }

    /// What a comparison comes to, and under which expectation: the one that may come least often, where there are several.
    /// One difference that nobody foresaw makes the whole a mismatch.
    public func outcome(of differences: [Difference]) -> (outcome: ComparisonOutcome, expectation: String?) {
        guard !differences.isEmpty else { return (.match, nil) }
        var rarest: AgreedDifference?
        for difference in differences {
            guard let expectation = all.first(where: { $0.difference.covers(difference) }) else {
                return (.mismatch, nil)
            }
            if expectation.rate < rarest?.rate ?? .infinity { rarest = expectation }
        }
        return (.expected, rarest?.difference.id)
    }

    /// The differences that no agreement covers.
    func unexpected(_ differences: [Difference]) -> [Difference] {
        differences.filter { difference in !all.contains { $0.difference.covers(difference) } }
    }

    private func byID<Value>(_ value: (AgreedDifference) -> Value) -> [String: Value] {
        Dictionary(all.map { ($0.difference.id, value($0)) }, uniquingKeysWith: { first, _ in first })
    }
}
