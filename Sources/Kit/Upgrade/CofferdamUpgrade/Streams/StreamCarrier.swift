import Cofferdam
import DequeModule

/// Owns a stream on its way from its sides to its subscriber: it passes events to a ``StreamMerge`` and carries out the
/// commands that it returns.
///
/// It does not know the type of the elements: generic code would look types up for each of them.
///
/// When the subscriber asks for an element, the side's iterator is asked in `next()` itself, and an element that is ready
/// is returned without a change of threads. A handover fetches ahead, in tasks of the executor.
final class StreamCarrier: Sendable {
    private struct State {
        var merge: StreamMerge<any Sendable>
        var out: Deque<any Sendable> = []
        var end: Result<Void, any Error>?
        /// Whether the subscriber asks for an element.
        var isAwaited = false
        /// The subscriber's task, once it has found nothing.
        var waiting: UnsafeContinuation<Void, Never>?
        var legacy: StreamFeed?
        var candidate: StreamFeed?
        /// Timers and calls of the list.
        var works: [StreamWork] = []
        var watch: [ListenerToken] = []
        var isReleased = false

        subscript(_ side: Side) -> StreamFeed? {
            get { side == .legacy ? legacy : candidate }
            set { if side == .legacy { legacy = newValue } else { candidate = newValue } }
        }

        /// Returns what the subscriber gets; nil if it must wait.
        mutating func take() -> Result<(any Sendable)?, any Error>? {
            isAwaited = false
            if let element = out.popFirst() { return .success(element) }
            if let end {
                self.end = .success(())
                return end.map { nil }
            }
            isAwaited = true
            return nil
        }
    }

    /// What follows a change, once the lock is released.
    private struct Sequel {
        var actions: [@Sendable () -> Void] = []
        /// How to ask the sides for an element.
        var legacy: Pull?
        var candidate: Pull?
        var waiting: UnsafeContinuation<Void, Never>?
    }

    /// How to ask a side for its next element.
    private enum Pull {
        /// By a new task, with its number, that asks once.
        case once(StreamFeed, number: Int)
        /// By a new task that serves the subscriber.
        case serve(StreamFeed, number: Int)
        /// By the task that serves the subscriber, and waits to be asked.
        case go(StreamFeed, UnsafeContinuation<StreamFeed.Turn, Never>, inSubscriber: Bool)
    }

    private let state: Mutex<State>
    private let sides: StreamSides
    private let limits: StreamLimits
    private let clock: any Clock<Duration>
    private let executor: (any TaskExecutor)?

    init(
        _ sides: StreamSides,
        handover: StreamHandover<any Sendable>,
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

    nonisolated(nonsending) func next() async throws -> (any Sendable)? {
        if Task.isCancelled {
            abandon()
            throw CancellationError()
        }
        let ready = perform(inSubscriber: true) { state, _ -> Result<(any Sendable)?, any Error>? in
            state.isAwaited ? .failure(IteratedTwice()) : state.take()
        }
        if let ready { return try ready.get() }
        while true {
            if let result = perform({ state, _ in state.take() }) { return try result.get() }
            await withTaskCancellationHandler {
                // Proof: only `perform` takes it from the state, under the lock, and then resumes it once.
                await withUnsafeContinuation { continuation in
                    perform { state, _ in state.waiting = continuation }
                }
            } onCancel: {
                abandon()
            }
        }
    }

    /// Ends the stream, because the subscriber dropped it or was cancelled.
    func abandon() {
        perform { state, sequel in
            state.out = []
            if state.end == nil { state.end = .failure(CancellationError()) }
            self.release(&state, &sequel)
        }
    }

    // MARK: Commands

    /// Changes the state, and carries out what follows after releasing the lock.
    ///
    /// - Parameter inSubscriber: whether the subscriber's own task does it, and so may ask a side.
    private func perform<Value: Sendable>(
        inSubscriber: Bool = false,
        _ body: (inout State, inout Sequel) -> Value
    ) -> Value {
        let (value, sequel) = state.withLock { state in
            var sequel = Sequel()
            let value = body(&state, &sequel)
            sequel.legacy = self.pull(state.legacy, state, inSubscriber)
            sequel.candidate = self.pull(state.candidate, state, inSubscriber)
            if !state.out.isEmpty || state.end != nil { sequel.waiting = state.waiting.take() }
            return (value, sequel)
        }
        for action in sequel.actions { action() }
        if let pull = sequel.legacy { carryOut(pull) }
        if let pull = sequel.candidate { carryOut(pull) }
        sequel.waiting?.resume()
        return value
    }

    /// Carries out the commands of the merge.
    private func change(_ body: (inout State) -> [StreamCommand<any Sendable>]) {
        perform { state, sequel in
            for command in body(&state) { self.take(command, &state, &sequel) }
        }
    }

    private func take(_ command: StreamCommand<any Sendable>, _ state: inout State, _ sequel: inout Sequel) {
        guard !state.isReleased else { return }
        switch command {
        case .emit(let element): state.out.append(element)
        case .finish(let error):
            state.end = error.map { .failure($0) } ?? .success(())
            release(&state, &sequel)
        case .open(let side):
            let feed = StreamFeed(side, SubscriberExecutor(executor))
            state[side] = feed
            sequel.actions.append { self.subscribe(feed) }
        case .close(let side): close(side, &state, &sequel)
        case .wait(let duration, let timer):
            run(&state, &sequel) {
                // It fails only if the timer is cancelled.
                guard (try? await self.clock.sleep(for: duration)) != nil else { return }
                self.change { state in
                    let isIdle = state[state.merge.active]?.isAsked ?? true
                    return state.merge.elapsed(timer, isOldSideIdle: isIdle)
                }
            }
        case .list(let side, let last):
            run(&state, &sequel) {
                // The subscriber knows of the gap already; without the list it stays a gap.
                let elements = try? await abandoning(
                    after: self.limits.opening,
                    on: self.clock,
                    executor: self.executor
                ) { try await self.sides.list?(side, last) }
                self.change { $0.merge.listed(elements ?? []) }
            }
        }
    }

    /// Runs a timer or a call of the list.
    private func run(_ state: inout State, _ sequel: inout Sequel, _ body: @escaping @Sendable () async -> Void) {
        let work = StreamWork()
        state.works.append(work)
        sequel.actions.append {
            let task = Task(executorPreference: self.executor) {
                await body()
                self.state.withLock { $0.works.removeAll { $0 === work } }
            }
            self.keep(task, for: work, 0)
        }
    }

    private func close(_ side: Side, _ state: inout State, _ sequel: inout Sequel) {
        guard let feed = state[side] else { return }
        state[side] = nil
        cancel(feed, &sequel)
        if let waiting = feed.waiting.take() { sequel.actions.append { waiting.resume(returning: .over) } }
    }

    private func cancel(_ work: StreamWork, _ sequel: inout Sequel) {
        work.isClosed = true
        let task = work.task.take()
        // The last reference to a feed may end here, and with it the subscription.
        sequel.actions.append { withExtendedLifetime(work) { task?.cancel() } }
    }

    private func release(_ state: inout State, _ sequel: inout Sequel) {
        guard !state.isReleased else { return }
        state.isReleased = true
        for side in Side.allCases { close(side, &state, &sequel) }
        for work in state.works { cancel(work, &sequel) }
        let watch = state.watch
        (state.works, state.watch) = ([], [])
        sequel.actions.append { for token in watch { token.cancel() } }
    }

    // MARK: The sides

    private func subscribe(_ feed: StreamFeed) {
        // Subscribe before returning, so that no element sent after the subscription is missed.
        if let events = sides.subscribeNow(feed.side) { return subscribed(feed, to: events) }
        let task = Task(executorPreference: executor) {
            do {
                self.subscribed(feed, to: try await self.sides.subscribe(feed.side))
            } catch let error as StreamNotOpened {
                let fallback = await self.sides.fallback(feed.side)
                self.failed(feed, error) { $0.couldNotOpen(feed.side, error.underlying, fallback: fallback) }
            } catch {
                self.ended(feed, by: error)
            }
        }
        keep(task, for: feed, 0)
    }

    private func subscribed(_ feed: StreamFeed, to events: StreamSides.Events) {
        feed.elements = events()
        change(feed) { merge in
            feed.isFree = true
            return merge.subscribed(feed.side)
        }
    }

    /// Returns how to ask the side, if its next element is wanted and no pull is in progress.
    private func pull(_ feed: StreamFeed?, _ state: State, _ inSubscriber: Bool) -> Pull? {
        guard let feed, feed.isFree else { return nil }
        let isWanted =
            switch state.merge.fetchPolicy(to: feed.side) {
            case .none: false
            case .onDemand: state.isAwaited && state.out.isEmpty
            case .ahead(let waiting):
                max(waiting, feed.side == state.merge.active ? state.out.count : 0) < limits.memory
            }
        guard isWanted else { return nil }
        feed.isFree = false
        if let waiting = feed.waiting.take() {
            // On the subscriber's thread it is asked at once.
            feed.isAsked = inSubscriber
            return .go(feed, waiting, inSubscriber: inSubscriber)
        }
        feed.pulls += 1
        return inSubscriber && Self.canServe ? .serve(feed, number: feed.pulls) : .once(feed, number: feed.pulls)
    }

    /// Whether a task can begin on the thread of its creator.
    private static let canServe =
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { true } else { false }

    private func carryOut(_ pull: Pull) {
        switch pull {
        case .go(let feed, let waiting, true): feed.executor.runHere { waiting.resume(returning: .asked) }
        case .go(_, let waiting, false): waiting.resume(returning: .due)
        case .once(let feed, let number):
            keep(
                Task(executorPreference: executor) { await feed.elements?.pass(to: self, from: feed, once: true) },
                for: feed,
                number
            )
        case .serve(let feed, let number):
            guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
            // An element that is ready is there when this returns.
            keep(
                Task.immediate(executorPreference: feed.executor) {
                    await feed.elements?.pass(to: self, from: feed, once: false)
                },
                for: feed,
                number
            )
        }
    }

    /// Keeps a task to cancel it later, unless a newer pull has begun.
    private func keep(_ task: Task<Void, Never>, for work: StreamWork, _ number: Int) {
        let isClosed = state.withLock { _ in
            if work.pulls == number, !work.isClosed { work.task = task }
            return work.isClosed
        }
        if isClosed { task.cancel() }
    }

    /// Notes that a side is asked for its next element. Only now: a task may wait a long time for a thread, and the side
    /// must not count as idle meanwhile.
    func asks(_ feed: StreamFeed) { state.withLock { _ in feed.isAsked = true } }

    /// Notes that a side's stream has ended, with an error or without.
    func ended(_ feed: StreamFeed, by error: (any Error)?) {
        if let error {
            failed(feed, error) { $0.ended(feed.side, by: error) }
        } else {
            change(feed) { $0.ended(feed.side, by: nil) }
        }
    }

    /// - Parameter nextTurn: is resumed once, for the element after this one; nil if another task asks for that.
    func received(
        _ element: any Sendable,
        from feed: StreamFeed,
        _ nextTurn: UnsafeContinuation<StreamFeed.Turn, Never>?
    ) {
        perform { state, sequel in
            guard !feed.isClosed else {
                if let nextTurn { sequel.actions.append { nextTurn.resume(returning: .over) } }
                return
            }
            (feed.isAsked, feed.isFree, feed.waiting) = (false, true, nextTurn)
            guard let passes = state.merge.passes(element, from: feed.side) else {
                for command in state.merge.received(element, from: feed.side) { self.take(command, &state, &sequel) }
                return
            }
            if passes { state.out.append(element) }
        }
    }

    private func failed(
        _ feed: StreamFeed,
        _ error: any Error,
        _ body: (inout StreamMerge<any Sendable>) -> [StreamCommand<any Sendable>]
    ) {
        guard !state.withLock({ _ in feed.isClosed }) else { return }
        sides.failed(feed.side, error)
        change(feed, body)
    }

    /// Passes an event to the merge, unless the side was left in the meantime.
    private func change(_ feed: StreamFeed, _ body: (inout StreamMerge<any Sendable>) -> [StreamCommand<any Sendable>])
    {
        change { state in
            guard !feed.isClosed else { return [] }
            feed.isAsked = false
            return body(&state.merge)
        }
    }
}

/// A task of a ``StreamCarrier``.
// Proof of `@unchecked Sendable`: only the carrier reads and writes its variables, and does so under its lock.
class StreamWork: @unchecked Sendable {
    var task: Task<Void, Never>?
    /// How many tasks it has had before this one.
    var pulls = 0
    var isClosed = false
}

/// A side to which a ``StreamCarrier`` is subscribed, or subscribes.
// Proof of `@unchecked Sendable`: as for `StreamWork`, but for the elements. They are written before the side is free, which is
// set under the lock; then only a pull uses them, and a pull begins under the lock once the one before it has ended.
final class StreamFeed: StreamWork, @unchecked Sendable {
    /// When the task that serves the subscriber asks again.
    enum Turn {
        /// At once.
        case due
        /// At once, and the side counts as asked already.
        case asked
        /// Never.
        case over
    }

    let side: Side
    let executor: SubscriberExecutor
    var elements: (any ElementSource)?
    /// Whether a pull may start: the side is subscribed, has not ended, and none is in progress.
    var isFree = false
    /// Whether the side was asked for its next element and has not answered.
    var isAsked = false
    /// The task that serves the subscriber, while it waits to be asked.
    var waiting: UnsafeContinuation<Turn, Never>?

    init(_ side: Side, _ executor: SubscriberExecutor) { (self.side, self.executor) = (side, executor) }
}

/// What a ``StreamCarrier`` needs from its route.
struct StreamSides: Sendable {
    typealias Events = @Sendable () -> any ElementSource

    /// Subscribes at once, if the side is open.
    let subscribeNow: @Sendable (Side) -> Events?
    /// Opens the side if necessary, and subscribes.
    ///
    /// - Throws: ``StreamNotOpened`` if the side cannot be opened.
    let subscribe: @Sendable (Side) async throws -> Events
    let list: (@Sendable (Side, _ last: any Sendable) async throws -> [any Sendable])?
    let wanted: @Sendable () -> StreamSide
    /// The side to use instead of one that cannot be opened.
    let fallback: @Sendable (Side) async -> Side?
    /// Called when a side's stream has failed, or the side could not be opened.
    let failed: @Sendable (Side, any Error) -> Void
}

struct StreamNotOpened: Error { var underlying: any Error }
