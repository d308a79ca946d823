import Cofferdam

/// What is missing of the evidence, for people: the gate has read the rest.
enum EvidenceGaps {
    /// Nothing for none.
    static func text(_ gaps: [String]) -> String {
        guard !gaps.isEmpty else { return "" }
        return "\nMissing evidence:\n" + gaps.map { "  \($0.escapedForTerminal)\n" }.joined()
    }
}
