/// Those who wait for one run. Each is resumed exactly once: when the run ends, or when it leaves.
final class LoadableCallers: Sendable {
    typealias Outcome = LoadableOutcome

    private enum Seat {
        case reserved
        case waiting(UnsafeContinuation<Outcome, Never>)
        case empty
    }

    private struct State {
        var seats: [Seat] = []
        var taken = 0
        var outcome: Outcome?
    }

    private let state = Mutex(State())
    private let fence = SanitizerFence()

    /// How many have come and have not left.
    var count: Int { state.withLock { $0.taken } }

    /// Takes a seat, which keeps the run wanted until ``leave(_:)``.
    func reserve() -> Int {
        state.withLock { state in
            state.seats.append(.reserved)
            state.taken += 1
            return state.seats.count - 1
        }
    }

    /// The run's outcome, or ``LoadableOutcome/left`` as soon as the seat is left.
    func wait(at seat: Int) async -> Outcome {
        // Proof of one resumption: a continuation leaves `seats` under the lock, in `leave` or `end`, and only whoever took
        // it out resumes it; one that was not stored is resumed here.
        let outcome = await withUnsafeContinuation { (continuation: UnsafeContinuation<Outcome, Never>) in
            let outcome = state.withLock { state -> Outcome? in
                if let outcome = state.outcome { return outcome }
                if case .empty = state.seats[seat] { return .left }
                state.seats[seat] = .waiting(continuation)
                return nil
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
        fence.acquire()
        return outcome
    }

    /// Whether this was the last caller of a run that has not ended.
    func leave(_ seat: Int) -> Bool {
        let (continuation, isLast) = state.withLock { state -> (UnsafeContinuation<Outcome, Never>?, Bool) in
            guard state.outcome == nil else { return (nil, false) }
            let left = state.seats[seat]
            switch left {
            case .empty: return (nil, false)
            case .reserved, .waiting: break
            }
            state.seats[seat] = .empty
            state.taken -= 1
            guard case .waiting(let continuation) = left else { return (nil, state.taken == 0) }
            return (continuation, state.taken == 0)
        }
        if let continuation {
            fence.release()
            continuation.resume(returning: .left)
        }
        return isLast
    }

    /// Gives everybody the outcome, those too who have a seat and do not wait yet.
    func end(_ outcome: Outcome) {
        let seats = state.withLock { state in
            state.outcome = outcome
            state.taken = 0
            defer { state.seats = [] }
            return state.seats
        }
        fence.release()
        for case .waiting(let continuation) in seats { continuation.resume(returning: outcome) }
    }
}
