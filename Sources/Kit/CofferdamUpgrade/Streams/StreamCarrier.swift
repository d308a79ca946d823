import Cofferdam
import DequeModule

/// Carries one stream from one side or both to its subscriber: does what its ``StreamMerge`` says, and tells it what happens.
/// An element is fetched when the subscriber asks for one, but for the time of a move.
final class StreamCarrier<Element: Sendable>: Sendable {
    typealias Deed = @Sendable () -> Void

    struct State {
        var merge: StreamMerge<Element>
        var out: Deque<Element> = []
        var end: Result<Void, any Error>?
        var waiting: CheckedContinuation<Element?, any Error>?
        var feeds: [Side: Feed] = [:]
        var work: [Int: Work] = [:]
        var watch: [ListenerToken] = []
        var isReleased = false
        /// Names tasks.
        var count = 0

        /// Makes place for a task.
        mutating func makeWork() -> Int {
            count += 1
            work[count] = Work()
            return count
        }
    }

    struct Work {
        /// Nil while it is being made.
        var task: Task<Void, Never>?
    }

    /// A side that is subscribed.
    struct Feed {
        let number: Int
        /// Waits for leave to fetch the next element: true, or false if the side is left.
        var waiting: CheckedContinuation<Bool, Never>?
        /// Whether the side has been asked for its next element, and has not answered.
        var isFetching = false
    }

    let state: Mutex<State>
    let sides: StreamSides<Element>
    let limits: StreamLimits
    private let clock: any Clock<Duration>
    private let executor: (any TaskExecutor)?

    init(
        _ sides: StreamSides<Element>,
        moving: StreamHandover<Element>,
        isShared: Bool,
        clock: any Clock<Duration>,
        executor: (any TaskExecutor)?
    ) {
        (self.sides, self.clock, self.executor, limits) = (sides, clock, executor, moving.limits)
        let merge = StreamMerge(
            moving: moving,
            beginningOn: sides.wanted().side,
            hasList: sides.list != nil,
            isShared: isShared
        )
        state = Mutex(State(merge: merge))
    }

    /// Subscribes to the side where the unit is.
    ///
    /// - Parameter watch: what calls ``look()`` when that may have changed.
    func begin(watchedBy watch: [ListenerToken]) {
        change { state in
            state.watch = watch
            return [.open(state.merge.active)]
        }
        look()
    }

    /// Looks where the unit is to be now. Under the lock, so that the newest look is the last one.
    func look() {
        change { [sides] state in
            let wanted = sides.wanted()
            return state.merge.want(wanted.side, mayStay: wanted.mayStay, atOnce: wanted.atOnce)
        }
    }

    // MARK: The subscriber

    func next() async throws -> Element? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                perform { state, deeds in
                    if Task.isCancelled {
                        deeds.append { continuation.resume(throwing: CancellationError()) }
                    } else if let element = state.out.popFirst() {
                        deeds.append { continuation.resume(returning: element) }
                    } else if let end = state.end {
                        state.end = .success(())
                        deeds.append { continuation.resume(with: end.map { nil }) }
                    } else if state.waiting != nil {
                        deeds.append { continuation.resume(throwing: IteratedTwice()) }
                    } else {
                        state.waiting = continuation
                    }
                }
            }
        } onCancel: {
            abandon()
        }
    }

    /// The subscriber has gone.
    func abandon() {
        perform { state, deeds in
            state.out = []
            if state.end == nil { state.end = .failure(CancellationError()) }
            if let waiting = state.waiting.take() {
                deeds.append { waiting.resume(throwing: CancellationError()) }
            }
            self.release(&state, &deeds)
        }
    }

    // MARK: Doing

    /// Does what the merge wants, after the lock is let go.
    func change(_ body: (inout State) -> [StreamCommand<Element>]) {
        perform { state, deeds in
            for command in body(&state) { self.take(command, &state, &deeds) }
        }
    }

    func perform(_ body: (inout State, inout [Deed]) -> Void) {
        let deeds = state.withLock { state in
            var deeds: [Deed] = []
            body(&state, &deeds)
            self.permit(&state, &deeds)
            return deeds
        }
        for deed in deeds { deed() }
    }

    private func take(_ command: StreamCommand<Element>, _ state: inout State, _ deeds: inout [Deed]) {
        guard !state.isReleased else { return }
        switch command {
        case .tell(let element):
            if let waiting = state.waiting.take() {
                deeds.append { waiting.resume(returning: element) }
            } else {
                state.out.append(element)
            }
        case .finish(let error):
            let end: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
            state.end = state.waiting == nil ? end : .success(())
            if let waiting = state.waiting.take() { deeds.append { waiting.resume(with: end.map { nil }) } }
            release(&state, &deeds)
        case .open(let side):
            let feed = Feed(number: state.makeWork())
            state.feeds[side] = feed
            deeds.append { self.start(side, feed.number) }
        case .close(let side): close(side, &state, &deeds)
        case .wait(let duration, let timer):
            let number = state.makeWork()
            deeds.append {
                self.run(number) {
                    do { try await self.clock.sleep(for: duration) } catch { return }
                    self.elapsed(timer)
                }
            }
        case .list(let side, let last):
            let number = state.makeWork()
            deeds.append { self.run(number) { self.listed(await self.list(side, after: last)) } }
        }
    }

    private func close(_ side: Side, _ state: inout State, _ deeds: inout [Deed]) {
        guard let feed = state.feeds.removeValue(forKey: side) else { return }
        let work = state.work.removeValue(forKey: feed.number)
        deeds.append {
            work?.task?.cancel()
            feed.waiting?.resume(returning: false)
        }
    }

    private func release(_ state: inout State, _ deeds: inout [Deed]) {
        guard !state.isReleased else { return }
        state.isReleased = true
        for side in Side.allCases { close(side, &state, &deeds) }
        let (tasks, watch) = (state.work.values.compactMap(\.task), state.watch)
        (state.work, state.watch) = ([:], [])
        deeds.append {
            for task in tasks { task.cancel() }
            for token in watch { token.cancel() }
        }
    }

    /// Runs the task that there is a place for; one that was given up meanwhile is cancelled.
    func run(_ number: Int, _ body: @escaping @Sendable () async -> Void) {
        let task = Task(executorPreference: executor) {
            await body()
            self.state.withLock { _ = $0.work.removeValue(forKey: number) }
        }
        let isWanted = state.withLock { state in
            state.work[number]?.task = task
            return state.work[number] != nil
        }
        if !isWanted { task.cancel() }
    }

    private func elapsed(_ timer: StreamTimer) {
        change { state in
            let isIdle = state.feeds[state.merge.active]?.isFetching ?? true
            return state.merge.elapsed(timer, isOldSideIdle: isIdle)
        }
    }

    private func list(_ side: Side, after last: Element) async -> [Element] {
        guard let list = sides.list else { return [] }
        // The gap was told: without the list it stays one.
        return
            (try? await abandoning(after: limits.opening, on: clock, executor: executor) {
                try await list(side, last)
            }) ?? []
    }

    private func listed(_ elements: [Element]) { change { $0.merge.listed(elements) } }
}
