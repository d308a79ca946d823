#if Curl
import Cofferdam

/// Commands from other threads to the loop thread, in order.
///
/// The loop takes all commands at once by swapping arrays, and announces under the same lock that it is going to sleep:
/// a wake-up costs a system call only when the loop really sleeps, and none is lost.
final class LoopMailbox: Sendable {
    enum Command: Sendable {
        case start(Transfer)
        case cancel(Transfer)
        /// The consumer of a paused stream or the producer of a request's body has caught up.
        case resume(Transfer)
        case census(CheckedContinuation<LoopCensus, Never>)
    }

    /// Everything the loop takes at once; its arrays are reused.
    struct Batch {
        var commands: [Command] = []
        var jobs: [UnownedJob] = []
    }

    private struct State {
        var batch = Batch()
        var isAsleep = false
        var waker: LoopWaker?
        var thread: ThreadIdentity?
        var ending = LoopEnding.none
        var hasEnded = false
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []

        /// Returns the waker of a loop that sleeps. Use it only after releasing the lock, which the loop takes as soon
        /// as it wakes.
        mutating func takeWaker() -> LoopWaker? {
            guard isAsleep else { return nil }
            isAsleep = false
            return waker
        }
    }

    private let state = Mutex(State())

    // MARK: Any thread

    /// - Returns: whether the loop will act on the command; `false` after shutdown.
    @discardableResult
    func post(_ command: Command) -> Bool {
        let (isAccepted, waker) = state.withLock { state in
            guard state.ending < .now else { return (false, nil as LoopWaker?) }
            if case .start(let transfer) = command {
                if state.ending.refusesRequests { return (false, nil) }
                transfer.isCalledOnLoop = state.thread?.isCurrent ?? false
            }
            state.batch.commands.append(command)
            return (true, state.takeWaker())
        }
        waker?.wake()
        return isAccepted
    }

    /// - Returns: whether the loop will run the job.
    func post(_ job: UnownedJob) -> Bool {
        let (isAccepted, waker) = state.withLock { state in
            guard state.ending < .now else { return (false, nil as LoopWaker?) }
            state.batch.jobs.append(job)
            return (true, state.takeWaker())
        }
        waker?.wake()
        return isAccepted
    }

    func end(_ ending: LoopEnding) {
        let waker = state.withLock { state in
            state.ending = state.ending.combined(with: ending)
            return state.takeWaker()
        }
        waker?.wake()
    }

    /// Returns once the loop thread has released everything.
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

    /// Called on the loop thread.
    func attach(_ waker: LoopWaker) {
        state.withLock { state in
            state.waker = waker
            state.thread = ThreadIdentity()
        }
    }

    /// Fills an empty batch.
    func take(_ batch: inout Batch) -> LoopEnding {
        state.withLock { state in
            state.isAsleep = false
            swap(&state.batch, &batch)
            return state.ending
        }
    }

    /// - Returns: whether there is nothing to do; from then on a command wakes the loop.
    func fallAsleep(unlessEnding handled: LoopEnding) -> Bool {
        state.withLock { state in
            state.isAsleep = state.batch.commands.isEmpty && state.batch.jobs.isEmpty && state.ending == handled
            return state.isAsleep
        }
    }

    /// Detaches the loop: no later command wakes it or is accepted.
    func detach(_ batch: inout Batch) {
        state.withLock { state in
            state.waker = nil
            state.ending = .now
            swap(&state.batch, &batch)
        }
    }

    func announceEnd() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waitingForEnd = [] }
            return state.waitingForEnd
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// Whether and when the loop ends.
enum LoopEnding: Sendable, Hashable, Comparable {
    case none
    /// The client was released: end when nothing is in flight.
    case whenIdle
    /// Shutting down: accept nothing new, and end when nothing is in flight, at the latest at the given time.
    case by(LoopTime)
    case now

    /// Returns the earlier of the two endings.
    func combined(with other: LoopEnding) -> LoopEnding {
        if case .by(let deadline) = self, case .by(let otherDeadline) = other {
            .by(min(deadline, otherDeadline))
        } else {
            max(self, other)
        }
    }

    var refusesRequests: Bool { self > .whenIdle }
}
#endif
