import Cofferdam
import Testing

/// Holds tasks until it is opened, and knows how many are there.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var arrivals: Int { state.withLock { $0.arrivals } }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                state.arrivals += 1
                if !state.isOpen { state.held.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }
}

/// What happened, in order, from any thread.
final class Log<Entry: Sendable>: Sendable {
    private let state = Mutex<[Entry]>([])
    var entries: [Entry] { state.withLock { $0 } }
    func add(_ entry: Entry) { state.withLock { $0.append(entry) } }
}

/// Lets other tasks run until the condition holds; a bounded number of turns, no clock.
func until(_ condition: () async -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async {
    for _ in 0..<1_000_000 {
        if await condition() { return }
        await Task.yield()
    }
    Issue.record("the condition never held", sourceLocation: sourceLocation)
}

struct TestError: Error, Hashable {
    var name: String
    init(_ name: String) { self.name = name }
}
