/// Changes something at its owner's, while the screens show already what it will have become.
public struct Mutation<Input: Sendable, Output: Sendable>: Sendable {
    private let retry: LoadRetry
    private let scope: MutationScope?
    private let timekeeper: Timekeeper
    private let prepare: @Sendable (Input) -> [OptimisticWrite]
    private let perform: @Sendable (Input) async throws -> Output
    private let finish: @Sendable (Input, Result<Output, any Error>) -> Void

    /// - Parameters:
    ///   - retry: none by default: a mutation is repeated only by those who know that this does no harm.
    ///   - scope: mutations of one scope come one after the other, in the order in which they were asked for.
    ///   - prepare: writes what it will come to; called when its turn has come. On failure and cancellation the
    ///     writes are taken back, newest first, except where something newer has committed meanwhile.
    ///   - finish: called when it is over, however it went: the place to invalidate what it has changed.
    ///   - perform: makes the change.
    public init(
        retry: LoadRetry = .never,
        scope: MutationScope? = nil,
        clock: some Clock<Duration> = ContinuousClock(),
        optimistically prepare: @escaping @Sendable (Input) -> [OptimisticWrite] = { _ in [] },
        finish: @escaping @Sendable (Input, Result<Output, any Error>) -> Void = { _, _ in },
        perform: @escaping @Sendable (Input) async throws -> Output
    ) {
        self.retry = retry
        self.scope = scope
        timekeeper = Timekeeper(clock)
        self.prepare = prepare
        self.perform = perform
        self.finish = finish
    }

    /// - Throws: the error of the last attempt, or `CancellationError`; while it waits for its turn, nothing has been
    ///   written yet.
    @discardableResult
    public func run(_ input: Input) async throws -> Output {
        guard let scope else { return try await runNow(input) }
        return try await scope.turnstile.run { try await runNow(input) }
    }

    private func runNow(_ input: Input) async throws -> Output {
        let writes = prepare(input)
        do {
            let output = try await attempts(input)
            finish(input, .success(output))
            return output
        } catch {
            for write in writes.reversed() { write.rollBack() }
            finish(input, .failure(error))
            throw error
        }
    }

    private func attempts(_ input: Input) async throws -> Output {
        var failures = 0
        while true {
            do { return try await perform(input) } catch {
                failures += 1
                guard !Task.isCancelled, let wait = retry.wait(after: failures, failing: error) else { throw error }
                try await timekeeper.sleep(for: wait)
            }
        }
    }
}

/// Mutations that must not overtake each other.
public final class MutationScope: Sendable {
    let turnstile = AsyncMutex()

    /// Creates a scope.
    public init() {}
}
