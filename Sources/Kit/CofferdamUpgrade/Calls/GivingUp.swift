import Cofferdam

/// Whether the caller of one call has given up before the call ended.
final class GivingUp: Sendable {
    private enum State {
        case opening
        case called(since: Duration)
        case ended, told
    }

    private let state = Mutex(State.opening)

    /// The side is open, and the call begins.
    func begin(at time: Duration) {
        state.withLock { if case .opening = $0 { $0 = .called(since: time) } }
    }

    /// The call has ended: from now on its caller does not give up any more.
    func end() {
        state.withLock { if case .called = $0 { $0 = .ended } }
    }

    /// The caller gives up.
    ///
    /// - Returns: since when the call was under way; nil where it was not.
    func giveUp() -> Duration? {
        state.withLock { state in
            guard case .called(let since) = state else { return nil }
            state = .told
            return since
        }
    }

    /// Whether it was told.
    var isTold: Bool { state.withLock { if case .told = $0 { true } else { false } } }
}
