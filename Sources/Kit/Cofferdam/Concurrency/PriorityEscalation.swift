extension Task {
    /// Raises the task for one who waits for what it does, though not for its value; it is never lowered.
    package func raise(to priority: TaskPriority) {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            escalatePriority(to: priority)
        } else {
            // One that waits for the value raises it too.
            Task<Void, Never>(priority: priority) { _ = await result }
        }
    }
}

/// Runs `operation`, and calls `raise` whenever the task that waits in it is raised, so that what it waits for can be raised
/// too; before the systems of 2025 only those raise what they wait for that await a task's value.
///
/// - Parameter raise: called on the thread that raises the task; it may raise others, and waits for nothing.
package func passingEscalation<Value>(
    to raise: @escaping @Sendable (TaskPriority) -> Void,
    of operation: () async throws -> Value
) async rethrows -> Value {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return try await operation() }
    return try await withTaskPriorityEscalationHandler {
        try await operation()
    } onPriorityEscalated: { _, new in
        raise(new)
    }
}
