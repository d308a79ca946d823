/// Keeps a listener registered: released or cancelled, the listener hears nothing more.
public final class ListenerToken: Sendable {
    private enum Removal {
        case closure(@Sendable () -> Void)
        case listener(Int, of: any ListenerHost)
    }

    private let removal: Mutex<Removal?>

    package init(_ removal: @escaping @Sendable () -> Void) { self.removal = Mutex(.closure(removal)) }

    /// Without a closure, of which there might be as many as there are listeners.
    init(_ key: Int, of host: any ListenerHost) { removal = Mutex(.listener(key, of: host)) }

    deinit { cancel() }

    /// Removes the listener, from anywhere, its own callback too. Idempotent. A callback that runs on another thread at
    /// this moment runs to its end.
    public func cancel() {
        let removal = self.removal.withLock { $0.take() }
        switch removal {
        case .closure(let body): body()
        case .listener(let key, let host): host.removeListener(key)
        case nil: break
        }
    }
}

/// What listeners are registered with. Tokens hold it, and it holds no listener any more once its source has gone.
protocol ListenerHost: AnyObject, Sendable {
    func removeListener(_ key: Int)
}
