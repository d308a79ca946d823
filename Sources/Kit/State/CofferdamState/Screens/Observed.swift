import Cofferdam
public import Observation  // SwiftUI draws again when what is Observable changes

/// A value on the main actor that follows a provider or a loadable, for SwiftUI and for `withObservationTracking`: what reads
/// ``value`` is notified of its next change.
///
/// The value changes only in a step of its own on the main actor. Code on the main actor reads it and registers for the next
/// change in one step, as SwiftUI does when it draws a view, so no change falls in between. A change shows in a later
/// step of the main actor, even if it was made there. If several are made before it, the last one shows.
///
/// Keep it as long as the screen. It holds what it follows until then.
@MainActor @Observable
public final class Observed<Value: Sendable> {
    /// The value, as far as the main actor knows it.
    public private(set) var value: Value
    private let source: any Sendable
    @ObservationIgnored private var listening: (any Sendable)?

    /// - Parameters:
    ///   - source: is held.
    ///   - current: the value now.
    ///   - listen: calls its argument, from any thread, with every change until its result is released.
    package init(
        _ source: any Sendable,
        current: Value,
        listen: (@escaping @Sendable (Value) -> Void) -> any Sendable
    ) {
        self.source = source
        value = current
        let inbox = Inbox<Value>()
        listening = listen { [weak self] new in
            guard inbox.put(new) else { return }
            Task { @MainActor [weak self] in
                if let newest = inbox.take() { self?.value = newest }
            }
        }
        if let newest = inbox.take() { value = newest }
    }

    /// Follows a provider.
    public convenience init(_ provider: Provider<Value>) {
        self.init(provider, current: provider.current) { provider.listen($0) }
    }

    /// Follows a loadable.
    ///
    /// - Parameter isActive: whether to keep the loadable in sync meanwhile, as ``Loadable/activate()`` does.
    public convenience init<Contents>(_ loadable: Loadable<Contents>, isActive: Bool = false)
    where Value == LoadableSnapshot<Contents> {
        self.init(loadable, current: loadable.snapshot) { loadable.observe(isActive: isActive, $0) }
    }
}

/// The newest value on its way to the main actor.
private final class Inbox<Value: Sendable>: Sendable {
    private struct State {
        var newest: Value?
        /// Whether there will be a call of ``take()``; at first, there is the initialiser's.
        var isAwaited = true
    }

    private let state = Mutex(State())

    /// Returns whether the caller has to arrange for a call of ``take()``.
    func put(_ value: Value) -> Bool {
        let (replaced, isAwaited) = state.withLock { state in
            defer { (state.newest, state.isAwaited) = (value, true) }
            return (state.newest, state.isAwaited)
        }
        // Freed without the lock: its deinitialiser may change what is followed.
        withExtendedLifetime(replaced) {}
        return !isAwaited
    }

    func take() -> Value? {
        state.withLock { state in
            state.isAwaited = false
            return state.newest.take()
        }
    }
}
