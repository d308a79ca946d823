/// What has been counted since it was saved last: how many, and which units, so that nobody counts twice.
public struct EvidenceChanges: Sendable {
    var record: EvidenceRecord
    /// By the tallies' names.
    var tallies: [String: TallyChanges]
    /// The legacy side's durations, in nanoseconds, by their places.
    var durations: [Int: Int64]

    var isEmpty: Bool { durations.isEmpty && tallies.values.allSatisfy { !$0.isWhole && $0.units.isEmpty } }
}

/// What was saved, for an ``EvidenceRecorder`` to go on from.
public struct SavedEvidence: Sendable {
    var record: EvidenceRecord
    /// By the tallies' names; the oldest first.
    var units: [String: [TallyChanges.Unit]]
    /// In the order of their places.
    var durations: [Int64]
}

/// Keeps what was counted beyond the end of the process.
public protocol EvidenceStore: Sendable {
    /// Saves all of it, or nothing.
    func save(_ changes: EvidenceChanges, of capability: String) async throws
    /// Nil if nothing ever was saved.
    func saved(of capability: String) async throws -> SavedEvidence?
}

/// The few numbers of an epoch.
struct EvidenceRecord: Sendable, Codable {
    var key: EpochKey
    var epoch: Int
    var callsPerUnit: Int
    var baseline: LegacyBaseline?
    /// By the tallies' names.
    var tallies: [String: TallyRecord]
    /// Where the legacy side's next duration goes.
    var nextSlot: Int
}

struct TallyRecord: Sendable, Hashable, Codable {
    /// By the verdicts' texts.
    var counts: [String: Int]
    var started: Int
    var abandoned: Int
}

struct TallyChanges: Sendable {
    struct Unit: Sendable, Hashable {
        var key: UInt64
        var calls: Int
        /// Nil once it is counted.
        var worst: String?
    }

    var record: TallyRecord
    /// Whether ``units`` are all that there are: what was saved before is forgotten.
    var isWhole: Bool
    var units: [Unit]
}

/// A verdict that can be written down.
protocol SavedVerdict {
    var text: String { get }
    init?(text: String)
}

extension CallOutcome: SavedVerdict {
    var text: String { self == .failed ? "failed" : "succeeded" }

    init?(text: String) {
        switch text {
        case "failed": self = .failed
        case "succeeded": self = .succeeded
        default: return nil
        }
    }
}

extension EpochEvidence.Comparison: SavedVerdict {
    var text: String { expectation.map { "\(outcome.rawValue) \($0)" } ?? outcome.rawValue }

    init?(text: String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard let outcome = ComparisonOutcome(rawValue: String(parts[0])) else { return nil }
        self.init(outcome: outcome, expectation: parts.count > 1 ? String(parts[1]) : nil)
    }
}

/// Which keys of a table are not saved: a few by themselves, or all of them.
struct UnsavedKeys: Sendable {
    /// More are all: they would take more memory than they save.
    private static let most = 10_000

    /// Nil for all.
    private var keys: Set<UInt64>?

    mutating func note(_ key: UInt64) {
        guard keys?.count ?? .max < Self.most else { return noteAll() }
        keys?.insert(key)
    }

    mutating func noteAll() { keys = nil }

    /// Nil for all.
    mutating func take() -> Set<UInt64>? {
        defer { keys = [] }
        return keys
    }
}
