import Cofferdam

/// Provides a value that has to be transferred, such as a picture: configured where it is created, injected where it is shown,
/// and started there.
///
/// An error is a value, ``DelayedState/failed(_:)``. All callers share one transfer. It is cancelled by ``stop()``, when the
/// last caller of a transfer that was only awaited has left, and when the provider is released.
public final class DelayedProvider<Value: Sendable>: Sendable {
    /// Fetches the value and reports its progress; it must react to cancellation.
    public typealias Transfer =
        @Sendable (_ progress: @escaping @Sendable (TransferProgress) -> Void) async throws -> Value
    private typealias Waiter = @Sendable (Result<Value, any Error>) -> Void

    private struct State {
        var phase = DelayedState<Value>.idle
        /// The number of the current transfer; reports of an earlier one are ignored.
        var run = 0
        var task: Task<Void, Never>?
        /// The highest priority of this transfer's callers.
        var priority = TaskPriority.background
        var waiters: [Int: Waiter] = [:]
        var waiterCount = 0
        /// Whether ``start()`` was called: the transfer goes on without waiting callers.
        var isStarted = false
    }

    private let guarded = Mutex(State())
    private let source = ProviderSource(DelayedState<Value>.idle)
    private let transfer: Transfer
    private let executor: (any TaskExecutor)?

    /// - Parameters:
    ///   - executor: where the transfer runs.
    ///   - transfer: everything that there is to configure.
    public init(executor: (any TaskExecutor)? = nil, transfer: @escaping Transfer) {
        self.executor = executor
        self.transfer = transfer
    }

    deinit { guarded.withLock { $0.task }?.cancel() }

    /// The state of the transfer, for listeners and as a sequence; neither starts it.
    public var state: Provider<DelayedState<Value>> { source.provider }

    /// How many callers wait for the value.
    package var waiterCount: Int { guarded.withLock { $0.waiters.count } }

    /// Starts the transfer unless it is running or done. After a failure it starts again.
    public func start() {
        let run = guarded.withLock { state in
            state.isStarted = true
            return claim(&state)
        }
        begin(run)
    }

    /// Cancels the transfer; waiting callers get `CancellationError`. It may be started again.
    public func stop() {
        let (task, waiters) = guarded.withLock { endRun(&$0, as: .idle) }
        task?.cancel()
        for waiter in waiters { waiter(.failure(CancellationError())) }
        source.deliver()
    }

    /// Waits for the value; starts the transfer if it is idle.
    ///
    /// - Throws: the transfer's error, or `CancellationError` as soon as this task is cancelled or the transfer stopped.
    public func value() async throws -> Value {
        try await passingEscalation {
            self.raise(to: $0)
        } of: {
            try await awaitedValue()
        }
    }

    private func awaitedValue() async throws -> Value {
        try await vendorCall { complete in
            let (id, value, run) = guarded.withLock { state in
                state.waiterCount += 1
                if let value = state.phase.value { return (state.waiterCount, value as Value?, nil as Int?) }
                state.waiters[state.waiterCount] = complete
                return (state.waiterCount, nil, claim(&state))
            }
            if let value { complete(.success(value)) }
            begin(run)
            raise(to: Task.currentPriority)
            return VendorCancellation { self.leave(id) }
        }
    }

    /// Raises the transfer that is under way: a less urgent caller may have started it.
    private func raise(to priority: TaskPriority) {
        let task = guarded.withLock { state -> Task<Void, Never>? in
            guard state.phase.progress != nil, state.priority < priority else { return nil }
            state.priority = priority
            return state.task
        }
        task?.raise(to: priority)
    }

    private func leave(_ waiter: Int) {
        let task = guarded.withLock { state in
            guard state.waiters.removeValue(forKey: waiter) != nil, state.waiters.isEmpty, !state.isStarted else {
                return nil as Task<Void, Never>?
            }
            return endRun(&state, as: .idle).task
        }
        task?.cancel()
        source.deliver()
    }
}

// MARK: - The transfer

extension DelayedProvider {
    /// A new transfer's number, if one is needed; the caller must then begin it.
    private func claim(_ state: inout State) -> Int? {
        guard state.phase.progress == nil, state.phase.value == nil else { return nil }
        state.run += 1
        state.priority = Task.currentPriority
        enter(.loading(TransferProgress()), &state)
        return state.run
    }

    private func begin(_ run: Int?) {
        guard let run else { return }
        source.deliver()
        let own = Task.currentPriority
        let task = Task(executorPreference: executor) { [weak self, transfer] in
            let result: Result<Value, any Error>
            do {
                result = .success(try await transfer { [weak self] progress in self?.note(progress, of: run) })
            } catch {
                result = .failure(error)
            }
            self?.end(run, result)
        }
        let priority = guarded.withLock { state -> TaskPriority? in
            guard state.run == run, state.phase.progress != nil else { return nil }
            state.task = task
            return state.priority
        }
        guard let priority else { return task.cancel() }
        if priority > own { task.raise(to: priority) }
    }

    private func note(_ progress: TransferProgress, of run: Int) {
        guarded.withLock { state in
            guard state.run == run, let known = state.phase.progress, known.completed <= progress.completed else {
                return
            }
            enter(.loading(progress), &state)
        }
        source.deliver()
    }

    private func end(_ run: Int, _ result: Result<Value, any Error>) {
        let waiters = guarded.withLock { state in
            guard state.run == run, state.phase.progress != nil else { return [] as [Waiter] }
            switch result {
            case .success(let value): return endRun(&state, as: .ready(value)).waiters
            case .failure(let error): return endRun(&state, as: .failed(error)).waiters
            }
        }
        for waiter in waiters { waiter(result) }
        source.deliver()
    }

    /// Ends the running transfer; does nothing if there is none.
    private func endRun(
        _ state: inout State,
        as phase: DelayedState<Value>
    ) -> (task: Task<Void, Never>?, waiters: [Waiter]) {
        guard state.phase.progress != nil else { return (nil, []) }
        defer {
            state.task = nil
            state.waiters = [:]
            state.isStarted = false
            enter(phase, &state)
        }
        return (state.task, state.waiters.sorted { $0.key < $1.key }.map(\.value))
    }

    private func enter(_ phase: DelayedState<Value>, _ state: inout State) {
        state.phase = phase
        source.post(phase)
    }
}

/// The state of a transfer.
public enum DelayedState<Value: Sendable>: Sendable {
    /// Not started, or stopped.
    case idle
    case loading(TransferProgress)
    case ready(Value)
    /// Failed; it may be started again.
    case failed(any Error)

    /// The value; nil unless it is ready.
    public var value: Value? { if case .ready(let value) = self { value } else { nil } }

    /// The error; nil unless it failed.
    public var error: (any Error)? { if case .failed(let error) = self { error } else { nil } }

    /// The progress; nil unless it is running.
    public var progress: TransferProgress? { if case .loading(let progress) = self { progress } else { nil } }
}

/// The progress of a transfer, in its own unit, such as bytes.
public struct TransferProgress: Sendable, Hashable {
    /// How much has been transferred.
    public var completed: Int64
    /// How much there is to transfer; nil while unknown.
    public var total: Int64?

    /// Creates a progress.
    public init(completed: Int64 = 0, total: Int64? = nil) {
        self.completed = completed
        self.total = total
    }

    /// 0 to 1; nil while the total is unknown.
    public var fraction: Double? {
        guard let total, total > 0 else { return nil }
        return min(1, max(0, Double(completed) / Double(total)))
    }
}
