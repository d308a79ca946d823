#if Staged
import Cofferdam
import CofferdamUpgrade

/// Lets an SDK take over the other's unsent messages when it is about to send, and never while the other is
/// sending, because both would send them.
///
/// So a unit can cut over without asking the user and without waiting: unsent messages are on disk, and are sent
/// once, with the first message on the unit's new side, however it got there. A message that was in flight when its
/// answer was lost cannot move, because neither SDK knows the other's keys: it stays with the SDK that sent it,
/// which alone can find out, and is reported as an issue. A cutover loses nothing, so it needs no consent.
final class SendingTurns: Sendable {
    private let turnstile = AsyncMutex()
    private let sending = Mutex<[Side: Int]>([:])

    /// Prepares for sending on that side.
    ///
    /// - Parameters:
    ///   - answering: the side that answers. As a fallback for V2, V1 takes over none of its messages.
    ///   - prepare: called with whether it may take over the other side's unsent messages.
    /// - Returns: a closure to call once the message was sent.
    /// - Throws: `CancellationError`.
    func begin(
        on side: Side,
        answering: @Sendable () -> Side,
        _ prepare: @Sendable (_ mayTakeOver: Bool) async -> Void
    ) async throws -> @Sendable () -> Void {
        try await turnstile.run {
            let other: Side = side == .legacy ? .candidate : .legacy
            let isOtherAtRest = sending.withLock { $0[other, default: 0] == 0 }
            await prepare(isOtherAtRest && (side == .candidate || answering() == .legacy))
            sending.withLock { $0[side, default: 0] += 1 }
        }
        return { [self] in sending.withLock { $0[side, default: 0] -= 1 } }
    }
}
#endif
