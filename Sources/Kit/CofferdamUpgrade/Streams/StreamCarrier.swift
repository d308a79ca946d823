import Cofferdam
import DequeModule

/// Carries one stream from its sides to its subscriber: it carries out the commands of a ``StreamMerge`` and passes
/// events to it. It fetches an element when the subscriber asks for one; during a handover it fetches ahead.
final class StreamCarrier<Element: Sendable>: Sendable {
    typealias Effect = @Sendable () -> Void

    struct State {
        var merge: StreamMerge<Element>
        var out: Deque<Element> = []
        var end: Result<Void, any Error>?
        var waiting: CheckedContinuation<Element?, any Error>?
        var feeds: [Side: Feed] = [:]
        var work: [Int: Work] = [:]
        var watch: [ListenerToken] = []
        var isReleased = false
        /// Numbers the tasks.
        var count = 0

        /// Registers a task that is about to start.
        mutating func makeWork() -> Int {
            count += 1
            work[count] = Work()
            return count
        }
    }

    struct Work {
        /// Nil until the task has started.
        var task: Task<Void, Never>?
    }

    /// A subscribed side.
    struct Feed {
        let number: Int
        /// Waits until the next element is wanted. Resumed with `true` to fetch it, or with `false` if the side was
        /// left.
        var waiting: CheckedContinuation<Bool, Never>?
        /// Whether the side was asked for its next element and has not answered.
        var isFetching = false
    }

    let state: Mutex<State>
    let sides: StreamSides<Element>
    let limits: StreamLimits
    private let clock: any Clock<Duration>
    private let executor: (any TaskExecutor)?

    init(
        _ sides: StreamSides<Element>,
        handover: StreamHandover<Element>,
        isShared: Bool,
        clock: any Clock<Duration>,
        executor: (any TaskExecutor)?
    ) {
        (self.sides, self.clock, self.executor, limits) = (sides, clock, executor, handover.limits)
        let merge = StreamMerge(
            handover: handover,
            beginningOn: sides.wanted().side,
            hasList: sides.list != nil,
            isShared: isShared
        )
        state = Mutex(State(merge: merge))
    }

    /// Subscribes to the side where the unit is.
    ///
    /// - Parameter watch: the tokens of the observers that call `look()` when that side may have changed.
    func begin(watchedBy watch: [ListenerToken]) {
        change { state in
            state.watch = watch
            return [.open(state.merge.active)]
        }
        look()
    }

    /// Reads which side the unit belongs on. It does so under the lock, so that the newest reading comes last.
    func look() {
        change { [sides] state in
            let wanted = sides.wanted()
            return state.merge.want(wanted.side, canStay: wanted.canStay, atOnce: wanted.atOnce)
        }
    }

    // MARK: The subscriber

    func next() async throws -> Element? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                perform { state, effects in
                    if Task.isCancelled {
                        effects.append { continuation.resume(throwing: CancellationError()) }
                    } else if let element = state.out.popFirst() {
                        effects.append { continuation.resume(returning: element) }
                    } else if let end = state.end {
                        state.end = .success(())
                        effects.append { continuation.resume(with: end.map { nil }) }
                    } else if state.waiting != nil {
                        effects.append { continuation.resume(throwing: IteratedTwice()) }
                    } else {
                        state.waiting = continuation
                    }
                }
            }
        } onCancel: {
            abandon()
        }
    }

    /// Ends the stream, because the subscriber dropped it or was cancelled.
    func abandon() {
        perform { state, effects in
            state.out = []
            if state.end == nil { state.end = .failure(CancellationError()) }
            if let waiting = state.waiting.take() {
                effects.append { waiting.resume(throwing: CancellationError()) }
            }
            self.release(&state, &effects)
        }
    }

    // MARK: Commands

    /// Carries out the commands of the merge, after releasing the lock.
    func change(_ body: (inout State) -> [StreamCommand<Element>]) {
        perform { state, effects in
            for command in body(&state) { self.take(command, &state, &effects) }
        }
    }

    func perform(_ body: (inout State, inout [Effect]) -> Void) {
        let effects = state.withLock { state in
            var effects: [Effect] = []
            body(&state, &effects)
            self.permit(&state, &effects)
            return effects
        }
        for effect in effects { effect() }
    }

    private func take(_ command: StreamCommand<Element>, _ state: inout State, _ effects: inout [Effect]) {
        guard !state.isReleased else { return }
        switch command {
        case .emit(let element):
            if let waiting = state.waiting.take() {
                effects.append { waiting.resume(returning: element) }
            } else {
                state.out.append(element)
            }
        case .finish(let error):
            let end: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
            state.end = state.waiting == nil ? end : .success(())
            if let waiting = state.waiting.take() { effects.append { waiting.resume(with: end.map { nil }) } }
            release(&state, &effects)
        case .open(let side):
            let feed = Feed(number: state.makeWork())
            state.feeds[side] = feed
            effects.append { self.start(side, feed.number) }
        case .close(let side): close(side, &state, &effects)
        case .wait(let duration, let timer):
            let number = state.makeWork()
            effects.append {
                self.run(number) {
                    do { try await self.clock.sleep(for: duration) } catch { return }
                    self.elapsed(timer)
                }
            }
        case .list(let side, let last):
            let number = state.makeWork()
            effects.append { self.run(number) { self.listed(await self.list(side, after: last)) } }
        }
    }

    private func close(_ side: Side, _ state: inout State, _ effects: inout [Effect]) {
        guard let feed = state.feeds.removeValue(forKey: side) else { return }
        let work = state.work.removeValue(forKey: feed.number)
        effects.append {
            work?.task?.cancel()
            feed.waiting?.resume(returning: false)
        }
    }

    private func release(_ state: inout State, _ effects: inout [Effect]) {
        guard !state.isReleased else { return }
        state.isReleased = true
        for side in Side.allCases { close(side, &state, &effects) }
        let (tasks, watch) = (state.work.values.compactMap(\.task), state.watch)
        (state.work, state.watch) = ([:], [])
        effects.append {
            for task in tasks { task.cancel() }
            for token in watch { token.cancel() }
        }
    }

    /// Runs a registered task, and cancels it if it was given up in the meantime.
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
        // The subscriber knows of the gap already; without the list it stays a gap.
        return
            (try? await abandoning(after: limits.opening, on: clock, executor: executor) {
                try await list(side, last)
            }) ?? []
    }

    private func listed(_ elements: [Element]) { change { $0.merge.listed(elements) } }
}

/// Fetching the elements of a subscribed side one by one.
extension StreamCarrier {
    func start(_ side: Side, _ number: Int) {
        // Subscribe before returning, so that no element sent after the subscription is missed.
        let events = sides.subscribeNow(side)
        run(number) {
            do {
                if let events { return try await self.fetch(events, from: side, number) }
                try await self.fetch(self.sides.subscribe(side), from: side, number)
            } catch let error as StreamNotOpened {
                let fallback = await self.sides.fallback(side)
                self.failed(side, number, error) { $0.couldNotOpen(side, error.underlying, fallback: fallback) }
            } catch {
                self.failed(side, number, error) { $0.ended(side, by: error) }
            }
        }
    }

    private func fetch(_ events: StreamSides<Element>.Events, from side: Side, _ number: Int) async throws {
        change(side, number) { $0.subscribed(side) }
        var iterator = events.makeAsyncIterator()
        while await mayFetch(side, number) {
            // Set only here: a task may wait a long time for a thread, and the side must not count as idle meanwhile.
            state.withLock { if $0.feeds[side]?.number == number { $0.feeds[side]?.isFetching = true } }
            guard let element = try await iterator.next(isolation: nil) else {
                return change(side, number) { $0.ended(side, by: nil) }
            }
            change(side, number) { $0.received(element, from: side) }
        }
    }

    private func failed(
        _ side: Side,
        _ number: Int,
        _ error: any Error,
        _ body: (inout StreamMerge<Element>) -> [StreamCommand<Element>]
    ) {
        guard state.withLock({ $0.feeds[side]?.number == number }) else { return }
        sides.failed(side, error)
        change(side, number, body)
    }

    /// Waits until the next element is wanted.
    ///
    /// - Returns: `false` if the side was left.
    private func mayFetch(_ side: Side, _ number: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            perform { state, effects in
                if state.feeds[side]?.number == number {
                    state.feeds[side]?.waiting = continuation
                } else {
                    effects.append { continuation.resume(returning: false) }
                }
            }
        }
    }

    /// Passes an event to the merge, unless the side was left in the meantime.
    private func change(
        _ side: Side,
        _ number: Int,
        _ body: (inout StreamMerge<Element>) -> [StreamCommand<Element>]
    ) {
        change { state in
            guard state.feeds[side]?.number == number else { return [] }
            state.feeds[side]?.isFetching = false
            return body(&state.merge)
        }
    }

    /// Resumes the sides whose next element is wanted.
    func permit(_ state: inout State, _ effects: inout [Effect]) {
        for (side, feed) in state.feeds {
            guard let waiting = feed.waiting, isWanted(side, state) else { continue }
            state.feeds[side]?.waiting = nil
            effects.append { waiting.resume(returning: true) }
        }
    }

    private func isWanted(_ side: Side, _ state: State) -> Bool {
        switch state.merge.fetchPolicy(to: side) {
        case .none: false
        case .onDemand: state.waiting != nil && state.out.isEmpty
        case .ahead(let waiting): max(waiting, side == state.merge.active ? state.out.count : 0) < limits.memory
        }
    }
}

/// What a ``StreamCarrier`` needs from its route.
struct StreamSides<Element: Sendable>: Sendable {
    typealias Events = any AsyncSequence<Element, any Error> & Sendable

    /// Subscribes at once, if the side is open.
    let subscribeNow: @Sendable (Side) -> Events?
    /// Opens the side if necessary, and subscribes.
    ///
    /// - Throws: ``StreamNotOpened`` if the side cannot be opened.
    let subscribe: @Sendable (Side) async throws -> Events
    let list: (@Sendable (Side, _ last: Element) async throws -> [Element])?
    let wanted: @Sendable () -> StreamSide
    /// The side to use instead of one that cannot be opened.
    let fallback: @Sendable (Side) async -> Side?
    /// Called when a side's stream has failed, or the side could not be opened.
    let failed: @Sendable (Side, any Error) -> Void
}

struct StreamNotOpened: Error { var underlying: any Error }
