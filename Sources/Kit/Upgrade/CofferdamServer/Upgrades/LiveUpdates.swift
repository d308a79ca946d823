#if Server
import Cofferdam

/// Notifies pages of new evidence. The ``StageHub`` notifies them of changes of the stage.
final class LiveUpdates: Sendable {
    /// The capabilities with new evidence since a page last took them.
    struct Changes: Sendable {
        /// Yields one element for one or more changes.
        let signals: AsyncStream<Void>
        /// Returns the capabilities, and forgets them.
        let take: @Sendable () -> Set<String>
    }

    private struct Page {
        var signal: AsyncStream<Void>.Continuation
        var capabilities: Set<String> = []
    }

    private struct State {
        var pages: [Int: Page] = [:]
        var next = 0
    }

    /// The maximum number of open pages.
    static let maxPages = 1_000
    private let state = Mutex(State())

    /// Call this after evidence has been counted.
    func evidenceChanged(of capability: String) {
        let signals = state.withLock { state in
            for id in state.pages.keys { state.pages[id]?.capabilities.insert(capability) }
            return state.pages.values.map(\.signal)
        }
        for signal in signals { signal.yield() }
    }

    /// - Returns: nil if too many pages are open.
    func changes() -> Changes? {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state -> Int? in
            guard state.pages.count < Self.maxPages else { return nil }
            state.next += 1
            state.pages[state.next] = Page(signal: signal)
            return state.next
        }
        guard let id else { return nil }
        signal.onTermination = { [weak self] _ in self?.state.withLock { $0.pages[id] = nil } }
        return Changes(signals: signals) { [weak self] in
            self?.state.withLock { state in
                defer { state.pages[id]?.capabilities = [] }
                return state.pages[id]?.capabilities ?? []
            } ?? []
        }
    }
}
#endif
