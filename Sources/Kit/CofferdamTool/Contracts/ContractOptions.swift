import Cofferdam
import CofferdamContracts

/// How a contract is to be run, beside which part of it.
struct ContractOptions: Sendable {
    /// Hashes the contract's text and the fixtures'.
    var digest: @Sendable (String) -> String
    /// Where the run is made, and when; its fixtures' digest is filled in.
    var stamp: RunStamp
    var isolation: CaseIsolation?
    /// The adapters of other builds; each takes the place of this build's own of that name.
    var elsewhere: [AdapterElsewhere] = []
    var triesUndeclared = false
    /// Whether the first row that fails is the last one.
    var failsFast = false
    /// How many times its own bound a rule may take.
    var patience = 4
    /// Which rows are told of as soon as they are known.
    var told = ToldRows.failures
    /// What earlier runs have certified.
    var certifications: [Certification] = []

    #if CommandLine
        /// This machine, today.
        static func here(isolation: CaseIsolation? = nil) -> ContractOptions {
            ContractOptions(digest: Digest.sha256(of:), stamp: .here, isolation: isolation)
        }
    #endif
}

/// Which rows get a line as soon as they are known.
enum ToldRows: Sendable, Hashable {
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
