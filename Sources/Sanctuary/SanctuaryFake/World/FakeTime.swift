import Cofferdam
import CofferdamContracts
import SanctuaryDomain

/// How long one call of a port may take, refresh and waiting included.
struct FakeTime: Sendable {
    var deadline: Duration
    var clock: AdjustableClock

    func bound<Value: Sendable>(_ call: @escaping @Sendable () async throws -> Value) async throws -> Value {
        do {
            return try await withDeadline(deadline, clock: clock, call)
        } catch is DeadlineExceeded {
            throw SanctuaryError(.timeout, "no answer within \(deadline)")
        }
    }
}
