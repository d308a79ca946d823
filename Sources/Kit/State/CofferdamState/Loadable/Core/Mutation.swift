import Cofferdam

/// A change on the server that screens show before it is confirmed.
public struct Mutation<Input: Sendable, Output: Sendable>: Sendable {
    private let retry: LoadRetry
    private let scope: MutationScope?
    private let timekeeper: Timekeeper
    private let prepare: @Sendable (Input) -> [OptimisticWrite]
    private let perform: @Sendable (Input) async throws -> Output
    private let confirm: @Sendable (Input, Output, [OptimisticWrite]) -> Void
    private let finish: @Sendable (Input, Result<Output, any Error>) -> Void

    /// - Parameters:
    ///   - retry: none by default. Retry only a mutation that is safe to repeat.
    ///   - scope: mutations of one scope run one after the other, in the order of the calls.
    ///   - prepare: makes the optimistic writes when the mutation's turn has come. They are rolled back after a failure or
    ///     cancellation.
    ///   - confirm: called after a success with the server's answer and the optimistic writes; by default they are confirmed.
    ///     ``Loadable/confirm(_:with:)`` shows what the server has made of one.
    ///   - finish: called at the end with the result: the place to invalidate loadables.
    ///   - perform: makes the change.
    public init(
        retry: LoadRetry = .never,
        scope: MutationScope? = nil,
        clock: some Clock<Duration> = ContinuousClock(),
        optimistically prepare: @escaping @Sendable (Input) -> [OptimisticWrite] = { _ in [] },
        confirm: @escaping @Sendable (Input, Output, [OptimisticWrite]) -> Void = {
            for write in $2 { write.confirm() }
        },
        finish: @escaping @Sendable (Input, Result<Output, any Error>) -> Void = { _, _ in },
        perform: @escaping @Sendable (Input) async throws -> Output
    ) {
        self.retry = retry
        self.scope = scope
        timekeeper = Timekeeper(clock)
        self.prepare = prepare
        self.perform = perform
        self.confirm = confirm
        self.finish = finish
    }

    /// - Throws: the error of the last attempt, or `CancellationError`; before its turn, nothing has been
    ///   written.
    @discardableResult
    public func run(_ input: Input) async throws -> Output {
        guard let scope else { return try await runNow(input) }
        return try await scope.turnstile.run { try await runNow(input) }
    }

    private func runNow(_ input: Input) async throws -> Output {
        let writes = prepare(input)
        do {
            let output = try await attempts(input)
            confirm(input, output, writes)
            finish(input, .success(output))
            return output
        } catch {
            for write in writes { write.rollBack() }
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
