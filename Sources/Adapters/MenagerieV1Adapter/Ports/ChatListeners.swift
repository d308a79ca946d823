#if Sandbox
import Cofferdam
import SanctuaryDomain

/// The subscribers whose vendor connection is still being established.
///
/// This vendor reports nothing that happened before the connection is established, which takes a round trip after
/// `events()` has returned. Sending waits for it, so that a subscriber receives the messages sent after subscribing.
final class ChatListeners: Sendable {
    struct Connection: Sendable, Hashable { fileprivate let id: Int }

    private struct State: Sendable {
        var nextID = 0
        var expected: Set<Connection> = []
        var waiting: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    func makeConnection() -> Connection { Connection(id: makeID()) }

    func expect(_ connection: Connection) { state.withLock { _ = $0.expected.insert(connection) } }

    /// Removes a connection that is established or has failed.
    func settle(_ connection: Connection) {
        let released = state.withLock { state in
            state.expected.remove(connection)
            guard state.expected.isEmpty else { return [@Sendable () -> Void]() }
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for release in released { release() }
    }

    /// Returns when every connection is established, at the latest after five seconds.
    func connected(_ vendor: Vendor) async throws {
        guard state.withLock({ !$0.expected.isEmpty }) else { return }
        do {
            try await vendor.within(min(vendor.deadline, .seconds(5))) {
                try await vendorCall { complete in
                    let id = self.wait { complete(.success(())) }
                    return VendorCancellation { self.state.withLock { $0.waiting[id] = nil } }
                }
            }
        } catch is DeadlineExceeded {
            // The subscriber's stream reports the failure; the message is sent nevertheless.
        }
    }

    private func wait(_ release: @escaping @Sendable () -> Void) -> Int {
        let id = makeID()
        let isOver = state.withLock { state in
            guard !state.expected.isEmpty else { return true }
            state.waiting[id] = release
            return false
        }
        if isOver { release() }
        return id
    }

    private func makeID() -> Int {
        state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }
}
#endif
