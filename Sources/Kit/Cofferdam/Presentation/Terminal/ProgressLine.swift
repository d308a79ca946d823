/// Says on standard error what is going on, for work that takes long: lines that stay, and where a terminal shows it one line
/// that changes.
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

    /// Replaces what the changing line says; silent unless a terminal shows it.
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

    /// Takes the changing line away, so that what follows stands where it stood.
    package func clear() {
        guard isTerminal else { return }
        shown.withLock { shown in
            shown = ""
            write(Self.cleared)
        }
    }

    private static let cleared = "\r\u{1B}[2K"
}
