import Cofferdam

/// A loadable of a chain and the decision that follows it.
public struct LoadableStep: Sendable {
    /// How a chain continues after a step.
    public enum Decision: Sendable {
        case proceed
        case fail(any Error)
        /// The rest of the chain is not needed.
        case succeed
    }

    let member: any LoadableMember
    let decide: @Sendable (LoadableStatus) async -> Decision

    /// - Parameter decide: called once the loadable has contents.
    public init(
        _ member: any LoadableMember,
        then decide: @escaping @Sendable (LoadableStatus) async -> Decision = { _ in .proceed }
    ) {
        self.member = member
        self.decide = decide
    }
}

extension LoadableGroup {
    /// A loadable that syncs its steps one after the other, each only if it needs it: after a failure it resumes at the step
    /// that failed. Without steps it succeeds.
    ///
    /// A step that has no contents after its sync ends the chain with ``LoadableError/Code/chainBroken``, whose cause is
    /// that step's error.
    public static func chain(_ steps: [LoadableStep], executor: (any TaskExecutor)? = nil) -> Loadable<Void> {
        let needed = Mutex(steps.count)
        return Loadable<Void>(
            timekeeper: Timekeeper(ContinuousClock()),
            executor: executor,
            loading: Loadable.Loading { _ in
                do {
                    let count = try await run(steps)
                    needed.withLock { $0 = count }
                    return LoadResult(result: .success(ContentsBox(())))
                } catch {
                    return LoadResult(result: .failure(error))
                }
            } timeUntilUpstreamIsStale: {
                // The steps that the last success did without need not be in sync.
                steps.prefix(needed.withLock { $0 }).compactMap(\.member.timeUntilStale).min()
            }
        )
    }

    /// - Returns: how many steps were needed.
    private static func run(_ steps: [LoadableStep]) async throws -> Int {
        for (index, step) in steps.enumerated() {
            await step.member.syncIfNeeded()
            try Task.checkCancellation()
            let status = step.member.status
            guard status.hasContents else {
                throw LoadableError(
                    .chainBroken,
                    "step \(index) of \(steps.count) has no contents",
                    cause: status.error
                )
            }
            switch await step.decide(status) {
            case .proceed: continue
            case .succeed: return index + 1
            case .fail(let error): throw error
            }
        }
        return steps.count
    }
}
