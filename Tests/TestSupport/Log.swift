import Cofferdam

/// A log of entries in order, which any thread can add to.
package final class Log<Entry: Sendable>: Sendable {
    private let state = Mutex<[Entry]>([])

    package init() {}

    package var entries: [Entry] { state.withLock { $0 } }
    package func add(_ entry: Entry) { state.withLock { $0.append(entry) } }
}
