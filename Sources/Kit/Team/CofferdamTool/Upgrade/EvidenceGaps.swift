import Cofferdam
import CofferdamSupport

/// What is missing in the evidence, for people. The gate has read the rest.
enum EvidenceGaps {
    /// Empty if there are no gaps.
    static func text(_ gaps: [String]) -> String {
        guard !gaps.isEmpty else { return "" }
        return "\nMissing evidence:\n" + gaps.map { "  \($0.escapedForTerminal)\n" }.joined()
    }
}
