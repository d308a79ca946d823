import Cofferdam
import CofferdamContracts
import SanctuaryContracts
import SanctuaryDomain

/// How long one call of a port may take, refresh and waiting included.
struct FakeTime: Sendable {
    var deadline: Duration
    var clock: AdjustableClock

    /// - Parameter send: to be called where the operation is sent: whether what changes something was done when its time is
    ///   up, nobody knows from then on.
    func bound<Value: Sendable>(
        _ operation: SanctuaryOperation,
        _ call: @escaping @Sendable (_ send: @escaping @Sendable () -> Void) async throws -> Value
    ) async throws -> Value {
        let isSent = Mutex(false)
        do {
            return try await withDeadline(deadline, clock: clock) {
                try await call { isSent.withLock { $0 = true } }
            }
        } catch is DeadlineExceeded {
            let isUnknown = operation.changesSomething && isSent.withLock { $0 }
            throw SanctuaryError(isUnknown ? .outcomeUnknown : .timeout, "no answer within \(deadline)")
        } catch let error as SanctuaryError where error.code == .closed {
            guard operation.changesSomething, isSent.withLock({ $0 }) else { throw error }
            throw SanctuaryError(.outcomeUnknown, error.message)
        }
    }
}

extension SanctuaryOperation {
    /// Whether doing it twice is not doing it once.
    var changesSomething: Bool { self == .place || self == .send || self == .perform }
}
