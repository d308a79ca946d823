/// Keeps a listener registered until it is cancelled or released.
public final class ListenerToken: Sendable {
    private enum Removal {
        case closure(@Sendable () -> Void)
        case listener(Int, of: any ListenerHost)
    }

    private let removal: Mutex<Removal?>

    package init(_ removal: @escaping @Sendable () -> Void) { self.removal = Mutex(.closure(removal)) }

    /// Avoids a closure for each listener.
    package init(_ key: Int, of host: any ListenerHost) { removal = Mutex(.listener(key, of: host)) }

    deinit { cancel() }

    /// Removes the listener; callable from anywhere, including its own callback. A callback that is running on another
    /// thread ends normally. Idempotent.
    public func cancel() {
        let removal = self.removal.withLock { $0.take() }
        switch removal {
        case .closure(let body): body()
        case .listener(let key, let host): host.removeListener(key)
        case nil: break
        }
    }
}

/// Keeps registered listeners. Tokens hold it; once its source is gone, it holds no listener.
package protocol ListenerHost: AnyObject, Sendable {
    func removeListener(_ key: Int)
}
