import Cofferdam

/// Tells those who wait how far the work is: what is going on, and what is done.
///
/// A line on a terminal shows what is going on; elsewhere it is said only where nothing else has been for ten seconds.
public struct ToolProgress: Sendable {
    private let show: @Sendable (String) -> Void
    private let tell: @Sendable (String) -> Void

    /// - Parameters:
    ///   - tell: is given each line that is to stay; nothing by default.
    ///   - show: is given what is going on, each time that it changes.
    public init(
        tell: @escaping @Sendable (String) -> Void = { _ in },
        _ show: @escaping @Sendable (String) -> Void
    ) {
        self.show = show
        self.tell = tell
    }

    /// Says what is going on now.
    public func show(_ text: String) { show(text) }

    /// Says what is done, in a line that stays.
    public func tell(_ line: String) { tell(line) }
}

/// Where a command's progress goes, and a word every ten seconds that it is still at it.
final class ProgressWatch: Sendable {
    /// How long nothing is said at most.
    static let silence = Duration.seconds(10)

    private struct State {
        var current: String?
        var currentSince = Duration.zero
        var lastWord = Duration.zero
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

    /// Says what is still going on, whenever nothing else was said for ``silence``, until it is cancelled.
    func run() async throws {
        while true {
            let rest = state.withLock { $0.lastWord } + Self.silence - elapsed()
            if rest > .zero {
                try await sleep(rest)
            } else {
                sayThatItGoesOn()
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
        state.withLock { $0.lastWord = now }
        line.tell(text)
    }

    private func sayThatItGoesOn() {
        let now = elapsed()
        let word = state.withLock { state in
            state.lastWord = now
            let seconds = (now - state.currentSince).components.seconds
            return "… \(state.current ?? "working")" + (seconds > 0 ? ": still running after \(seconds) s" : "")
        }
        line.tell(word)
    }
}
