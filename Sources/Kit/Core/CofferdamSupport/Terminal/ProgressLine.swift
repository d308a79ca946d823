import Cofferdam

/// Reports the progress of long work on standard error: lines that stay and, on a terminal, one line that changes.
package final class ProgressLine: Sendable {
    private let isTerminal: Bool
    private let write: @Sendable (String) -> Void
    private let shown = Mutex("")

    package convenience init() {
        self.init(isTerminal: StandardStream.error.isTerminal) { text in
            // Progress is optional output: a failure to show it is ignored.
            do { try StandardStream.error.write(text) } catch {}
        }
    }

    package init(isTerminal: Bool, write: @escaping @Sendable (String) -> Void) {
        self.isTerminal = isTerminal
        self.write = write
    }

    /// Replaces the text of the changing line; does nothing unless a terminal shows it.
    package func show(_ text: String) {
        guard isTerminal else { return }
        shown.withLock { shown in
            shown = text
            write(Self.cleared + text.escapedForTerminal)
        }
    }

    /// Writes a line that stays, above the changing one.
    package func tell(_ line: String) {
        shown.withLock { shown in
            guard isTerminal else { return write(line.escapedForTerminal + "\n") }
            write(Self.cleared + line.escapedForTerminal + "\n" + shown.escapedForTerminal)
        }
    }

    /// Removes the changing line, so that what follows takes its place.
    package func clear() {
        guard isTerminal else { return }
        shown.withLock { shown in
            shown = ""
            write(Self.cleared)
        }
    }

    private static let cleared = "\r\u{1B}[2K"
}
