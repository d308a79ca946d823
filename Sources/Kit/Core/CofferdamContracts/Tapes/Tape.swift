/// A recording of calls over ports, with their arguments, results, errors and times.
///
/// A ``TapeRecorder`` makes a tape, and a ``TapePlayer`` answers calls from it. As a file, it is JSON that reads well
/// in a diff.
public struct Tape: Sendable, Hashable {
    /// What the tape belongs to: a test and its case.
    package var title: String
    package var redaction: TapeRedactionSummary
    /// In the order in which the calls began.
    package var entries: [TapeEntry]

    package init(
        title: String,
        redaction: TapeRedactionSummary = TapeRedactionSummary(fields: [], types: [], secrets: []),
        entries: [TapeEntry]
    ) {
        self.title = title
        self.redaction = redaction
        self.entries = entries
    }

    /// The called operations, in the order in which the calls began.
    package var operations: [String] { entries.map(\.operation) }
}
