import Cofferdam
import CofferdamContracts
import SanctuaryContracts
import SanctuaryDomain

/// The deadline of a port's calls, including refresh and waiting.
struct FakeTime: Sendable {
    var deadline: Duration
    var clock: AdjustableClock

    /// - Parameter send: called when the operation is sent: if it changes something and its time runs out afterwards,
    ///   the outcome is unknown.
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
    /// Whether repeating the operation has a further effect.
    var changesSomething: Bool { self == .place || self == .send || self == .perform }
}
