import Cofferdam
import CLibcurl

/// Names a transfer to the loop from any thread.
typealias TransferID = UInt64

/// What other threads ask of the loop thread, in order.
///
/// The loop takes all commands at once by swapping arrays, and says under the same lock that it goes to sleep: so a
/// wake-up costs a system call only when the loop really sleeps, and none is lost.
final class LoopMailbox: Sendable {
    enum Command: Sendable {
        case start(Submission)
        case cancel(TransferID)
        /// The consumer of a paused stream has caught up.
        case unpause(TransferID)
        case census(CheckedContinuation<LoopCensus, Never>)
    }

    enum Ending: Sendable, Comparable {
        case none
        /// The client is gone: end when nothing is in flight.
        case whenIdle
        /// Shut down: end now.
        case now
    }

    fileprivate struct State {
        var commands: [Command] = []
        var isAsleep = false
        var waker: Waker?
        var ending = Ending.none
        var hasEnded = false
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
        var nextID: TransferID = 0
    }

    private let state = Mutex(State())

    // MARK: Any thread

    func makeID() -> TransferID {
        state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    /// - Returns: whether the loop will act on it; not when it was shut down.
    @discardableResult
    func post(_ command: Command) -> Bool {
        state.withLock { state in
            guard state.ending != .now else { return false }
            state.commands.append(command)
            state.wake()
            return true
        }
    }

    func end(_ ending: Ending) {
        state.withLock { state in
            state.ending = max(state.ending, ending)
            state.wake()
        }
    }

    /// Returns when the loop thread has given everything back.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waitingForEnd.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    // MARK: The loop thread

    func attach(multi: UnsafeMutableRawPointer) {
        let waker = Waker(multi: multi)
        state.withLock { $0.waker = waker }
    }

    func take() -> (commands: [Command], ending: Ending) {
        state.withLock { state in
            state.isAsleep = false
            let commands = state.commands
            state.commands = []
            return (commands, state.ending)
        }
    }

    /// - Returns: whether there is nothing to do; from then on a command wakes the loop.
    func fallAsleep(unlessEnding handled: Ending) -> Bool {
        state.withLock { state in
            state.isAsleep = state.commands.isEmpty && state.ending == handled
            return state.isAsleep
        }
    }

    /// Nobody wakes the loop after this, and nothing more is accepted.
    func detach() -> [Command] {
        state.withLock { state in
            state.waker = nil
            state.ending = .now
            let commands = state.commands
            state.commands = []
            return commands
        }
    }

    func announceEnd() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            let waiting = state.waitingForEnd
            state.waitingForEnd = []
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

extension LoopMailbox.State {
    fileprivate mutating func wake() {
        guard isAsleep else { return }
        isAsleep = false
        waker?.wake()
    }
}

/// Wakes the loop out of `curl_multi_poll`.
// Proof: curl_multi_wakeup may be called from any thread. The mailbox calls it under its lock, and forgets the waker
// under the same lock before the multi handle is freed.
private struct Waker: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer

    func wake() { curl_multi_wakeup(multi) }
}

/// How much the loop holds, for tests.
package struct LoopCensus: Sendable, Hashable {
    package var transfersInFlight = 0
    package var idleHandles = 0

    package init(transfersInFlight: Int = 0, idleHandles: Int = 0) {
        self.transfersInFlight = transfersInFlight
        self.idleHandles = idleHandles
    }
}
