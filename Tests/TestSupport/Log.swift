import Cofferdam

/// What happened, in order, from any thread.
package final class Log<Entry: Sendable>: Sendable {
    private let state = Mutex<[Entry]>([])

    package init() {}

    package var entries: [Entry] { state.withLock { $0 } }
    package func add(_ entry: Entry) { state.withLock { $0.append(entry) } }
}
