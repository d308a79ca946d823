public import Cofferdam  // operations, sides and differences
import CofferdamUpgrade

/// How much a drift matters.
public enum DriftTier: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// Decided upon, or harmless.
    case info
    /// The two sides say different things.
    case warn
    /// One side has it, or can do it, and the other one has not.
    case error

    public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .info: 0
        case .warn: 1
        case .error: 2
        }
    }
}

/// A drift that was decided upon, as data: in one call, at one path.
public struct KnownDrift: Sendable, Hashable, Codable {
    /// The name under which the team's guide has it: "D2".
    var id: String
    /// "orders"
    var call: String
    /// With "[*]" for any index: "lines[*].unitPrice".
    var path: String
    /// Why it is right, for people.
    var reason: String
    /// What the legacy side may say there; nil is anything, and nothing at all.
    var legacy: [String]?
    /// What the candidate may say there; nil is anything, and nothing at all.
    var candidate: [String]?

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

    /// Whether that is what was decided upon.
    func covers(_ difference: Difference, of call: String) -> Bool {
        call == self.call && Self.general(difference.path) == path && Self.allows(difference.legacy, legacy)
            && Self.allows(difference.candidate, candidate)
    }

    private static func allows(_ text: String?, _ texts: [String]?) -> Bool {
        guard let texts else { return true }
        return text.map(texts.contains) ?? false
    }

    /// The path without its indices.
    private static func general(_ path: String) -> String {
        path.replacing(/\[\d+\]/, with: "[*]")
    }
}
