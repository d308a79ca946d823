/// What has been counted since it was saved last: how many, and which units, so that nobody counts twice.
public struct EvidenceChanges: Sendable {
    var record: EvidenceRecord
    /// By the tallies' names.
    var tallies: [String: TallyChanges]
    /// The legacy side's newest durations, in nanoseconds, in their order.
    var durations: [Int64]
    /// How many durations are kept in all.
    var mostDurations: Int
    /// What stands there was counted for an upgrade that is no more.
    var replacesAll: Bool

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

/// What stands in the store once changes were saved, with what other processes have counted.
public struct EvidenceTotals: Sendable {
    var record: EvidenceRecord
}

/// Keeps what was counted beyond the end of the process, for all processes that count one capability's units.
public protocol EvidenceStore: Sendable {
    /// Adds all of it to what stands there, or nothing. A unit that another process has counted in the same epoch is not counted
    /// again.
    @discardableResult
    func save(_ changes: EvidenceChanges, of capability: String) async throws -> EvidenceTotals
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
    /// Where the legacy side's next duration goes, once all places are taken.
    var nextSlot: Int

    /// Whether both were counted in the same epoch, under the same key: then they add up.
    func isSameQuestion(as other: EvidenceRecord) -> Bool {
        epoch == other.epoch && key == other.key && callsPerUnit == other.callsPerUnit
    }
}

struct TallyRecord: Sendable, Hashable, Codable {
    /// By the verdicts' texts.
    var counts: [String: Int]
    var started: Int
    var abandoned: Int

    static let zero = TallyRecord(counts: [:], started: 0, abandoned: 0)

    static func + (a: Self, b: Self) -> Self { a.combined(b, &+) }
    static func - (a: Self, b: Self) -> Self { a.combined(b, &-) }

    /// What a damaged file may hold must not trap.
    private func combined(_ other: Self, _ combine: (Int, Int) -> Int) -> Self {
        var result = TallyRecord(
            counts: counts,
            started: combine(started, other.started),
            abandoned: combine(abandoned, other.abandoned)
        )
        for (text, count) in other.counts { result.counts[text] = combine(counts[text, default: 0], count) }
        return result
    }
}

struct TallyChanges: Sendable {
    struct Unit: Sendable, Hashable {
        var key: UInt64
        var calls: Int
        /// Nil once it is counted.
        var worst: String?
        /// Whether it was seen for the first time since it was saved last.
        var isNew = false
        /// With what it was counted since then; nil if it was not.
        var verdict: String?
    }

    var record: TallyRecord
    /// When it was saved last.
    var before: TallyRecord
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
