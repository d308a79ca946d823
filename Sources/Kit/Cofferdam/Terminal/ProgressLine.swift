/// One line on standard error that says what is going on, for work that takes long; silent unless a terminal shows it.
package struct ProgressLine: Sendable {
    private let isShown: Bool
    private let write: @Sendable (String) -> Void

    package init() {
        self.init(isShown: StandardStream.error.isTerminal) { text in
            // Nobody is harmed if progress cannot be shown.
            do { try StandardStream.error.write(text) } catch {}
        }
    }

    init(isShown: Bool, write: @escaping @Sendable (String) -> Void) {
        self.isShown = isShown
        self.write = write
    }

    /// Replaces what the line says.
    package func show(_ text: String) {
        if isShown { write("\r\u{1B}[2K" + text.escapedForTerminal) }
    }

    /// Takes the line away, so that what follows stands where it stood.
    package func clear() {
        if isShown { write("\r\u{1B}[2K") }
    }
}
