import Cofferdam

/// `withDeadline` for a clock of any type. In a file that imports Foundation, Swift 6.3 does not open the type.
func limited<Value: Sendable>(
    to limit: Duration,
    _ clock: any Clock<Duration>,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withDeadline(limit, clock: clock, body)
}
