/// Races `operation` against a clock: the vendor's own time-outs are only the far backstop.
///
/// - Throws: ``DeadlineExceeded`` when `limit` has passed first; the operation is cancelled then, and waited for, so it must
///   heed cancellation. Otherwise what the operation throws.
public func withDeadline<Value: Sendable, C: Clock>(
    _ limit: C.Duration,
    clock: C,
    _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value where C.Duration: Sendable {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try await clock.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let value = first else { throw DeadlineExceeded() }
        return value
    }
}

/// The time allowed for an operation has passed.
public struct DeadlineExceeded: Error, Sendable, Hashable {
    public init() {}
}
