#if Sandbox
import SanctuaryDomain

/// A subscriber to a port's events that can be inspected from anywhere.
actor Subscription<Event: Sendable> {
    private var iterator: any AsyncIteratorProtocol<Event, any Error>

    init(_ events: any AsyncSequence<Event, any Error> & Sendable) { iterator = events.makeAsyncIterator() }

    func next() async throws -> Event? {
        var iterator = iterator
        defer { self.iterator = iterator }
        return try await iterator.next(isolation: self)
    }

    /// Returns the error that ends the events, after the remaining ones.
    func end() async -> SanctuaryError? {
        do {
            while try await next() != nil {}
            return nil
        } catch {
            return error as? SanctuaryError
        }
    }
}

extension AccessoryEvent {
    var changed: Accessory? { if case .changed(let accessory) = self { accessory } else { nil } }
}

extension MessageEvent {
    var received: Message? { if case .received(let message) = self { message } else { nil } }
}

extension AccountState {
    var account: Account? { if case .signedIn(let account) = self { account } else { nil } }
}
#endif
