import Cofferdam

/// A proxy's rules and evidence, and the tasks that wait for evidence.
final class ProxyLedger: Sendable {
    /// The evidence that tasks can wait for.
    struct Counts: Sendable {
        var arrivals: [String: Int] = [:]
        var held: [String: Int] = [:]
        var connections = 0
        /// The connections whose latest answer is to that operation.
        var served: [String: Int] = [:]
        var problems: [String] = []

        func arrivals(of operation: String?) -> Int {
            operation.map { arrivals[$0] ?? 0 } ?? arrivals.values.reduce(0, +)
        }

        func held(of operation: String?) -> Int {
            operation.map { held[$0] ?? 0 } ?? held.values.reduce(0, +)
        }
    }

    private struct Rule {
        let action: ProxyAction
        let operation: String?
        var timesLeft: Int?
    }

    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        var counts = Counts()
        var rules: [Rule] = []
        var requests: [ProxiedRequest] = []
        var waiters: [Int: (isAwaited: @Sendable (Counts) -> Bool, continuation: Waiter)] = [:]
        var waiterCount = 0
        var isClosed = false

        mutating func satisfied() -> [Waiter] {
            let ids = waiters.filter { $0.value.isAwaited(counts) }.keys
            return ids.compactMap { waiters.removeValue(forKey: $0)?.continuation }
        }
    }

    /// The maximum number of problems to keep; further ones say nothing new.
    static let maxProblems = 100

    private let state = Mutex(State())
    let limits: ProxyLimits

    init(limits: ProxyLimits) { self.limits = limits }

    var counts: Counts { state.withLock { $0.counts } }
    var requests: [ProxiedRequest] { state.withLock { $0.requests } }

    // MARK: Rules

    func add(_ action: ProxyAction, to operation: String?, times: Int?) {
        if let times, times <= 0 { return }
        state.withLock { $0.rules.append(Rule(action: action, operation: operation, timesLeft: times)) }
    }

    func clearRules(for operation: String?) {
        state.withLock { $0.rules.removeAll { operation == nil || $0.operation == operation } }
    }

    // MARK: Events

    /// Records that a request has arrived, and returns the action for it.
    func arrived(_ request: [UInt8], operation: String, connection: Int) -> ProxyAction? {
        change { state in
            state.counts.arrivals[operation, default: 0] += 1
            let record = ProxiedRequest(
                operation: operation,
                connection: connection,
                bytes: Array(request.prefix(max(0, limits.recordedBytes))),
                length: request.count
            )
            state.requests.append(record)
            let surplus = state.requests.count - max(0, limits.recordedRequests)
            if surplus > 0 { state.requests.removeFirst(surplus) }
            let matching = state.rules.firstIndex { $0.operation == nil || $0.operation == operation }
            guard let matching else { return nil }
            let action = state.rules[matching].action
            if let times = state.rules[matching].timesLeft {
                state.rules[matching].timesLeft = times - 1
                if times <= 1 { state.rules.remove(at: matching) }
            }
            return action
        }
    }

    func changeHeld(by difference: Int, of operation: String) {
        change { $0.counts.held[operation, default: 0] += difference }
    }

    func changeConnections(by difference: Int) {
        change { $0.counts.connections += difference }
    }

    func changeServed(from old: String?, to new: String?) {
        change { state in
            if let old { state.counts.served[old, default: 0] -= 1 }
            if let new { state.counts.served[new, default: 0] += 1 }
        }
    }

    func problem(_ description: String) {
        change { state in
            if state.counts.problems.count < Self.maxProblems { state.counts.problems.append(description) }
        }
    }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, satisfied) = state.withLock { state in
            let result = body(&state)
            return (result, state.satisfied())
        }
        for waiter in satisfied { waiter.resume() }
        return result
    }

    // MARK: Waiting

    /// Returns once `isAwaited` holds.
    ///
    /// - Throws: ``ProxyError/closed``; `CancellationError`.
    func wait(until isAwaited: @escaping @Sendable (Counts) -> Bool) async throws {
        let id = state.withLock { state in
            state.waiterCount += 1
            return state.waiterCount
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: Waiter) in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.isClosed { return .failure(ProxyError.closed) }
                    if isAwaited(state.counts) { return .success(()) }
                    state.waiters[id] = (isAwaited, continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Ends all waits, current and future.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [:] }
            return state.waiters.values.map(\.continuation)
        }
        for waiter in waiters { waiter.resume(throwing: ProxyError.closed) }
    }
}
