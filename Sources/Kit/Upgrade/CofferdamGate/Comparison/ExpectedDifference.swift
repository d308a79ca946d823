package import Cofferdam  // operations, sides and differences

/// An expected difference at one path, as data: which texts may differ, and how.
public struct ExpectedDifference: Sendable, Hashable, Codable {
    /// The name of the decision: "D5".
    public var id: String
    /// The path to which it applies, with "[*]" for any index: "lines[*].unitPrice".
    public var path: String
    /// Why the difference is right, for people.
    package var reason: String
    /// The permitted changes; any other change is unexpected.
    var changes: [Change]

    /// Creates a value from its parts.
    public init(id: String, path: String, reason: String, changes: [Change]) {
        self.id = id
        self.path = path
        self.reason = reason
        self.changes = changes
    }

    /// A permitted change: a text of the legacy side, and the texts that the candidate may have instead; nil means
    /// absent.
    public struct Change: Sendable, Hashable, Codable {
        /// The text of the legacy side; nil if it is absent.
        var legacy: String?
        package var candidates: [String?]

        package init(from legacy: String?, to candidates: [String?]) {
            self.legacy = legacy
            self.candidates = candidates
        }
    }

    /// Returns whether the expectation covers a difference.
    package func covers(_ difference: Difference) -> Bool {
        coversPath(difference.path)
            && changes.contains { $0.legacy == difference.legacy && $0.candidates.contains(difference.candidate) }
    }

    private func coversPath(_ other: String) -> Bool {
        var rest = other[...]
        for (index, piece) in path.split(separator: "[*]", omittingEmptySubsequences: false).enumerated() {
            if index > 0 {
                guard rest.first == "[", let end = rest.firstIndex(of: "]"),
                    Int(rest[rest.index(after: rest.startIndex)..<end]) != nil
                else { return false }
                rest = rest[rest.index(after: end)...]
            }
            guard rest.hasPrefix(piece) else { return false }
            rest = rest.dropFirst(piece.count)
        }
        return rest.isEmpty
    }
}

/// An expected difference with its agreed rate and expiry.
public struct AgreedDifference: Sendable, Hashable, Codable {
    /// The difference.
    public var difference: ExpectedDifference
    /// The highest share of units that may show it, 0 to 1.
    public var rate: Double
    /// When it expires and becomes a mismatch, in seconds since 1970; nil for never.
    package var expires: Int64?

    /// Creates a value from its parts.
    public init(_ difference: ExpectedDifference, rate: Double, expires: Int64? = nil) {
        self.difference = difference
        self.rate = rate
        self.expires = expires
    }

    /// The content as text; if it changes, a new epoch begins.
    var signature: String {
        let changes = difference.changes.map { change in
            let candidates = change.candidates.map { Self.quoted($0) }.joined(separator: "|")
            return "\(Self.quoted(change.legacy))→\(candidates)"
        }
        return "\(difference.path) \(changes.joined(separator: ", ")) \(rate)"
    }

    private static func quoted(_ text: String?) -> String { text.map { $0.debugDescription } ?? "nothing" }
}

/// The agreed differences at one moment, without expired ones.
package struct AgreedDifferences: Sendable, Hashable {
    package let all: [AgreedDifference]

    /// - Parameters:
    ///   - all: each with its own id; of two with the same id the first one is used.
    ///   - now: seconds since 1970.
    package init(_ all: [AgreedDifference] = [], at now: Int64) {
        var seen: Set<String> = []
        self.all = all.filter { expectation in
            expectation.expires.map { now < $0 } ?? true && seen.insert(expectation.difference.id).inserted
        }
    }

    /// The signatures by id, for `expectations`: a changed, new or expired expectation begins a new epoch.
    package var signatures: [String: String] {
        Dictionary(all.map { ($0.difference.id, $0.signature) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the outcome of a comparison, and the expectation that covers it: the one with the lowest rate, if there
    /// are several. A single unexpected difference makes the outcome a mismatch.
    package func outcome(of differences: [Difference]) -> (outcome: ComparisonOutcome, expectation: String?) {
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

    /// Returns the differences that no agreement covers.
    package func unexpected(_ differences: [Difference]) -> [Difference] {
        differences.filter { difference in !all.contains { $0.difference.covers(difference) } }
    }
}
