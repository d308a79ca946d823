import Cofferdam

/// How much a drift matters.
package enum DriftTier: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// Decided upon, or harmless.
    case info
    /// The two sides say different things.
    case warn
    /// One side has something, or can do it, and the other does not.
    case error

    /// Orders tiers from the mildest to the gravest.
    package static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .info: 0
        case .warn: 1
        case .error: 2
        }
    }
}

/// A drift that the team has accepted, in one call at one path.
public struct KnownDrift: Sendable, Hashable, Codable {
    var id: String
    package var call: String
    package var path: String
    var reason: String
    var legacy: [String]?
    var candidate: [String]?

    /// Describes an accepted difference.
    ///
    /// - Parameters:
    ///   - id: its name in the team's guide: "D2".
    ///   - call: the call, by its name: "orders".
    ///   - path: the path in the answer, with "[*]" for any index: "lines[*].unitPrice".
    ///   - reason: why the difference is right, for readers of the report.
    ///   - legacy: the values that the old side may have there; nil allows any value, or none.
    ///   - candidate: the values that the candidate may have there; nil allows any value, or none.
    public init(
        id: String,
        call: String,
        path: String,
        reason: String,
        legacy: [String]? = nil,
        candidate: [String]? = nil
    ) {
        self.id = id
        self.call = call
        self.path = path
        self.reason = reason
        self.legacy = legacy
        self.candidate = candidate
    }

    /// Whether the difference is the accepted one.
    func covers(_ difference: Difference, of call: String) -> Bool {
        call == self.call && Self.general(difference.path) == path && Self.allows(difference.legacy, legacy)
            && Self.allows(difference.candidate, candidate)
    }

    private static func allows(_ text: String?, _ texts: [String]?) -> Bool {
        guard let texts else { return true }
        return text.map(texts.contains) ?? false
    }

    /// The path with "[*]" for each index.
    private static func general(_ path: String) -> String {
        path.replacing(/\[\d+\]/, with: "[*]")
    }
}
