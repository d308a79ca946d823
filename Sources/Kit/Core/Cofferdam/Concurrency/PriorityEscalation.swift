extension Task {
    /// Raises the task to the priority of a caller that waits for its work through a continuation, where the runtime
    /// does not see the dependency. It never lowers it.
    package func raise(to priority: TaskPriority) {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            escalatePriority(to: priority)
        } else {
            // Awaiting the value raises the task on every system.
            Task<Void, Never>(priority: priority) { _ = await result }
        }
    }
}

/// Runs `operation`, and calls `raise` whenever the calling task is raised meanwhile, so that the work it waits for can be
/// raised too. Before macOS 26 and iOS 26 it only runs `operation`.
///
/// - Parameter raise: runs on the thread that raises the task; it may raise other tasks, and must not block.
@inlinable
@inline(__always)
package func passingEscalation<Value>(
    to raise: @Sendable (TaskPriority) -> Void,
    of operation: () async throws -> Value
) async rethrows -> Value {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return try await operation() }
    return try await withTaskPriorityEscalationHandler {
        try await operation()
    } onPriorityEscalated: { _, new in
        raise(new)
    }
}
