import Cofferdam
import CofferdamSupport

/// Reports the progress of a command: what it is doing, and what is done.
///
/// On a terminal, one line shows the current activity. Elsewhere it is only printed after ten seconds without other
/// output.
public struct ToolProgress: Sendable {
    private let show: @Sendable (String) -> Void
    private let tell: @Sendable (String) -> Void

    /// - Parameters:
    ///   - tell: receives each permanent line; does nothing by default.
    ///   - show: receives the current activity, each time that it changes.
    init(
        tell: @escaping @Sendable (String) -> Void = { _ in },
        _ show: @escaping @Sendable (String) -> Void
    ) {
        self.show = show
        self.tell = tell
    }

    /// Shows the current activity.
    public func show(_ text: String) { show(text) }

    /// Prints a permanent line about something that is done.
    public func tell(_ line: String) { tell(line) }
}

/// Shows a command's progress, and a reminder after every ten seconds without output.
final class ProgressWatch: Sendable {
    /// The longest time without output.
    static let silence = Duration.seconds(10)

    private struct State {
        var current: String?
        var currentSince = Duration.zero
        var lastOutput = Duration.zero
    }

    private let line: ProgressLine
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Mutex(State())

    init<C: Clock<Duration>>(_ line: ProgressLine, clock: C = ContinuousClock()) {
        self.line = line
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
    }

    var progress: ToolProgress { ToolProgress(tell: tell, show) }

    /// Prints the current activity whenever there has been no output for ``silence``, until it is cancelled.
    func run() async throws {
        while true {
            let rest = state.withLock { $0.lastOutput } + Self.silence - elapsed()
            if rest > .zero {
                try await sleep(rest)
            } else {
                reportStillRunning()
            }
        }
    }

    private func show(_ text: String) {
        let now = elapsed()
        state.withLock { state in
            state.current = text
            state.currentSince = now
        }
        line.show(text)
    }

    private func tell(_ text: String) {
        let now = elapsed()
        state.withLock { $0.lastOutput = now }
        line.tell(text)
    }

    private func reportStillRunning() {
        let now = elapsed()
        let line = state.withLock { state in
            state.lastOutput = now
            let seconds = (now - state.currentSince).components.seconds
            return "… \(state.current ?? "working")" + (seconds > 0 ? ": still running after \(seconds) s" : "")
        }
        self.line.tell(line)
    }
}
