import Synchronization

/// A stand-in for a vendor's server, as one SDK reaches it.
final class NoteServer: Sendable {
    struct Unreachable: Error {}

    private let state = Mutex((isReachable: true, received: [String]()))

    var received: [String] { state.withLock { $0.received } }

    func setReachable(_ isReachable: Bool) { state.withLock { $0.isReachable = isReachable } }

    func send(_ key: String) async throws {
        try state.withLock { state in
            guard state.isReachable else { throw Unreachable() }
            state.received.append(key)
        }
    }
}
