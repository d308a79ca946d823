#if Staged
    import Cofferdam
    import CofferdamUpgrade

    /// Lets an SDK take over what the other one could not send, when it is about to send itself, and never while the other one is
    /// sending: both would.
    ///
    /// So nobody is asked before a unit crosses over, and no crossing waits: whatever could not be sent is on the disk, and goes
    /// out once with the first message on the side to which the unit has come, whichever way it came there. What was on its way
    /// when the answer was lost cannot go along, because neither SDK knows the other's keys: it stays with the SDK that has
    /// sent it, which alone can find out, and is told as an issue. Nothing is lost by a crossing, and so nobody has to agree.
    final class SendingTurns: Sendable {
        private let turnstile = AsyncMutex()
        private let sending = Mutex<[Side: Int]>([:])

        /// Someone is about to send on that side.
        ///
        /// - Parameters:
        ///   - answering: V1 also stands in for V2, and takes nothing of it then.
        ///   - prepare: told whether it may take over what the other side could not send.
        /// - Returns: to be called when it has been sent.
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
