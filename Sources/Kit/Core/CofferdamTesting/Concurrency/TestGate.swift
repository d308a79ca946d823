import Cofferdam

/// Suspends tasks until a test opens it, and counts how many have arrived.
///
/// ```swift
/// let gate = TestGate()
/// let task = Task { await gate.pass() }
/// // What the test does while the task is suspended.
/// gate.open()
/// await task.value
/// ```
public final class TestGate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var suspended: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// A closed gate.
    public init() {}

    /// How many tasks have called ``pass()``, whether they passed or not.
    public var arrivals: Int { state.withLock { $0.arrivals } }

    /// Suspends the task until the gate is open. Cancellation does not resume it.
    public func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                state.arrivals += 1
                if !state.isOpen { state.suspended.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Resumes all suspended tasks and lets later ones pass.
    public func open() {
        let suspended = state.withLock { state in
            state.isOpen = true
            defer { state.suspended = [] }
            return state.suspended
        }
        for continuation in suspended { continuation.resume() }
    }
}
