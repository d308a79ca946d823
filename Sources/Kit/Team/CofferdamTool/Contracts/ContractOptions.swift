import Cofferdam
import CofferdamSupport
import CofferdamContracts

/// How to run a contract, whatever part of it is selected.
struct ContractOptions: Sendable {
    /// Hashes the contract's text and the fixtures'.
    var digest: @Sendable (String) -> String
    /// Where and when the run is made; the digest of its fixtures is filled in.
    var stamp: RunStamp
    var isolation: CaseIsolation?
    /// The adapters of other builds. Each replaces this build's adapter of the same name.
    var elsewhere: [AdapterElsewhere] = []
    var triesUndeclared = false
    /// Whether the run ends after the first row that fails.
    var failsFast = false
    /// How many times its own time limit a rule may take.
    var patience = 4
    /// The rows that are reported as soon as they are known.
    var reportedRows = ReportedRows.failures
    /// The certifications of earlier runs.
    var certifications: [Certification] = []

    #if CommandLine
    /// The options for a run on this machine, today.
    static func here(isolation: CaseIsolation? = nil) -> ContractOptions {
        ContractOptions(digest: Digest.sha256(of:), stamp: .here, isolation: isolation)
    }
    #endif
}

/// The rows that get a line as soon as they are known.
enum ReportedRows: Sendable, Hashable {
    case all, failures

    func includes(_ isFailure: Bool) -> Bool { self == .all || isFailure }
}

extension ContractReport.Row {
    /// "✗ LIST-01 of animals on v2, 0.01 s: item 3 is missing".
    var line: String {
        let words = "\(standing.mark) \(id), \(shownSeconds)"
        return outcome.isFailure ? "\(words): \(detail ?? "no detail")" : words
    }

    /// "0.01 s".
    private var shownSeconds: String {
        let hundredths = Int((max(0, seconds) * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) s"
    }
}

extension MutationRow {
    /// "✓ LIST-01 of animals, drops the last item: killed".
    var line: String {
        let isGood = outcome == .killed
        let words = "\(isGood ? "✓" : outcome == .skipped ? "–" : "✗") \(id): \(outcome.rawValue)"
        return isGood ? words : "\(words): \(detail ?? "no detail")"
    }

    var isFailure: Bool { outcome != .killed && outcome != .skipped }
}
