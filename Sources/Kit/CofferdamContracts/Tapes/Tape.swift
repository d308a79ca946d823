/// What was said over ports, to be said again: calls with their arguments, results, errors and times.
///
/// A ``TapeRecorder`` makes it, a ``TapePlayer`` answers from it; as a file it is JSON that reads well in a difference.
public struct Tape: Sendable, Hashable {
    /// Whose tape it is: a test and its case.
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

    /// What was called, in the order in which the calls began.
    package var operations: [String] { entries.map(\.operation) }
}
