import Cofferdam
import CofferdamSupport
import CofferdamUpgrade

/// Shows upgrades repeatedly, until one reaches the awaited state or the command is cancelled.
struct UpgradeWatch {
    /// The form of the output.
    enum Form: Sendable, Hashable {
        /// One page, painted over the previous one.
        case screen(TerminalStyle)
        /// A line for each upgrade that has changed.
        case lines
        /// JSON, with a line for each upgrade that has changed.
        case json
    }

    var form: Form
    var until: WatchGoal?
    let read: @Sendable () async throws -> [CapabilityStatus]
    let write: (String) throws -> Void

    /// - Parameter ticks: when to read again after the first time. When it ends, so does the watch.
    /// - Returns: whether the awaited state was reached; true if none was awaited.
    /// - Throws: the error of the first reading. Later errors are shown, and reading is tried again.
    func run(ticks: some AsyncSequence<Void, Never>) async throws -> Bool {
        var statuses = try await read()
        if case .screen = form { try write(Self.enter) }
        do {
            let isReached = try await repeatedly(&statuses, ticks)
            if case .screen(let style) = form {
                // The last page stays on the screen.
                try write(Self.leave + StatusTable(statuses: statuses).render(style))
            }
            return isReached
        } catch {
            if case .screen = form { try write(Self.leave) }
            throw error
        }
    }

    private func repeatedly(_ statuses: inout [CapabilityStatus], _ ticks: some AsyncSequence<Void, Never>) async throws
        -> Bool
    {
        var shown: [CapabilityStatus] = []
        try show(statuses, since: &shown, problem: nil)
        if let until, statuses.contains(where: until.isReached) { return true }
        for await _ in ticks {
            var problem: String?
            do {
                statuses = try await read()
            } catch {
                problem = "the status cannot be read: \(error)"
            }
            try show(statuses, since: &shown, problem: problem)
            if problem == nil, let until, statuses.contains(where: until.isReached) { return true }
        }
        return until == nil
    }

    private func show(_ statuses: [CapabilityStatus], since shown: inout [CapabilityStatus], problem: String?) throws {
        if case .screen(let style) = form {
            let page = StatusTable(statuses: statuses, problem: problem).render(style)
            try write(Self.painted(page))
        } else {
            for status in statuses where !shown.contains(where: { $0.showsTheSame(as: status) }) {
                try write(form == .json ? try WatchLine(status).json : WatchLine(status).text + "\n")
            }
            if let problem { try write(WatchLine.problem(problem, isJSON: form == .json)) }
        }
        shown = statuses
    }

    // MARK: The alternate screen of xterm and its descendants

    static let enter = "\u{1B}[?1049h\u{1B}[?25l"
    static let leave = "\u{1B}[?25h\u{1B}[?1049l"

    /// Paints over the previous page line by line, so that nothing flickers.
    static func painted(_ page: String) -> String {
        "\u{1B}[H" + page.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\u{1B}[K\r\n")
            + "\u{1B}[J"
    }
}

/// What ends a watch: a stage that is reached or passed, or a verdict of the gate.
enum WatchGoal: Sendable, Hashable {
    case stage(Stage)
    case verdict(GateVerdict)

    /// - Returns: nil if the text is neither.
    init?(_ text: String) {
        if let verdict = GateVerdict(rawValue: text) {
            self = .verdict(verdict)
        } else if let stage = Stage(rawValue: text) {
            self = .stage(stage)
        } else {
            return nil
        }
    }

    func isReached(_ status: CapabilityStatus) -> Bool {
        switch self {
        case .stage(let stage): status.stage >= stage
        case .verdict(let verdict): status.gate.verdict == verdict
        }
    }
}

extension CapabilityStatus {
    /// Whether a line for it would say the same, apart from its age.
    fileprivate func showsTheSame(as other: CapabilityStatus) -> Bool {
        WatchLine(self).text == WatchLine(other).text
    }
}
