import Cofferdam
public import CofferdamState  // its loadable

/// A `Loadable` for tests: its runs wait until the test ends them, and it counts its calls.
public final class LoadableDouble<Contents: Sendable>: Sendable {
    private struct State {
        var runs = 0
        var lastKey = 0
        var cancelled = 0
        var waiting: [Int: @Sendable (Result<Contents, any Error>) -> Void] = [:]
    }

    /// The loadable for the code under test.
    public let loadable: Loadable<Contents>
    private let runs: Runs

    private final class Runs: Sendable {
        let state = Mutex(State())

        func load() async throws -> Contents {
            try await vendorCall { complete in
                let run = state.withLock { state in
                    state.runs += 1
                    state.lastKey += 1
                    state.waiting[state.lastKey] = complete
                    return state.lastKey
                }
                return VendorCancellation {
                    self.state.withLock { state in
                        state.cancelled += 1
                        state.waiting[run] = nil
                    }
                }
            }
        }
    }

    /// Creates a double whose runs wait until a test ends them.
    public init(
        _ contents: Contents? = nil,
        freshness: Freshness = .always,
        clock: some Clock<Duration> = ContinuousClock(),
        executor: (any TaskExecutor)? = nil
    ) {
        let runs = Runs()
        self.runs = runs
        loadable = Loadable(contents, freshness: freshness, clock: clock, executor: executor) { try await runs.load() }
    }

    /// How many runs have begun.
    public var runCount: Int { runs.state.withLock { $0.runs } }
    /// How many runs have been cancelled.
    public var cancelledRunCount: Int { runs.state.withLock { $0.cancelled } }
    /// How many runs are waiting to be ended.
    public var waitingRunCount: Int { runs.state.withLock { $0.waiting.count } }
    /// How many callers are waiting.
    public var callerCount: Int { loadable.callerCount }
    /// The number of listeners, waiting sequences, and tokens that keep it in sync.
    public var observerCount: Int { loadable.userCount }

    /// Resets the counts.
    public func resetCounts() {
        runs.state.withLock { state in
            state.runs = 0
            state.cancelled = 0
        }
    }

    /// Ends the waiting runs with contents. If there are none, pushes the contents.
    public func succeed(_ contents: Contents) { end(.success(contents)) }

    /// Ends the waiting runs with an error. If there are none, pushes the failure.
    public func fail(_ error: any Error) { end(.failure(error)) }

    /// Shows that it is syncing, without a run.
    public func setSyncing() { loadable.pushSyncing() }

    /// Returns to the initial state.
    public func setIdle() { loadable.reset() }

    private func end(_ result: Result<Contents, any Error>) {
        let waiting = runs.state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting
        }
        if waiting.isEmpty { loadable.push(result) }
        for complete in waiting.values { complete(result) }
    }
}
