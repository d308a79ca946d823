import CofferdamContracts
import Cofferdam
import SanctuaryContracts
import SanctuaryDomain

/// The fake vendor, shared by every open instance: it counts calls, and fails them on demand.
final class FakeWorld: Sendable {
    typealias Completion = @Sendable (Result<Void, any Error>) -> Void

    private struct Waiter: Sendable {
        let isMet: @Sendable (FakeState, Subscribers) -> Bool
        let complete: Completion
    }

    private struct Held: Sendable {
        let instance: ObjectIdentifier
        let complete: Completion
    }

    private struct Everything: Sendable {
        var state = FakeState()
        var subscribers = Subscribers()
        var waiters: [Int: Waiter] = [:]
        var held: [Int: Held] = [:]
    }

    private let everything = Mutex(Everything())
    /// Held while events are created and delivered, so that every subscriber gets them in the same order. Taken before
    /// `everything`, never after.
    private let delivery = Mutex(())
    let now: @Sendable () -> Instant
    private let sink: IssueSink

    /// - Parameter issues: receives the instances' issues, which the world also keeps.
    init(_ baseline: SanctuaryBaseline, now: @escaping @Sendable () -> Instant, issues: IssueSink) {
        self.now = now
        sink = issues
        reset(baseline)
    }

    /// Reads or changes the state, and resumes waiters whose condition now holds.
    func update<Value: Sendable, Failure: Error>(
        _ body: (inout FakeState) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let (result, met) = everything.withLock { everything -> (Result<Value, Failure>, [Completion]) in
            let result: Result<Value, Failure>
            do throws(Failure) {
                result = .success(try body(&everything.state))
            } catch {
                result = .failure(error)
            }
            return (result, Self.takeMet(&everything))
        }
        for complete in met { complete(.success(())) }
        return try result.get()
    }

    /// Where instances report issues.
    var issues: IssueSink {
        .all(
            sink,
            IssueSink { found, operation in
                self.update { $0.output += found.map { "\(operation) at \($0.path): \($0.what): \($0.raw)" } }
            }
        )
    }

    func reset(_ baseline: SanctuaryBaseline) {
        let held = everything.withLock { everything in
            let held = everything.held.values.map(\.complete)
            everything.held = [:]
            everything.state.clear()
            return held
        }
        for complete in held { complete(.failure(SanctuaryError(.unreachable, "the vendor was reset"))) }
        if baseline == .seeded { seed() }
    }

    // MARK: Calls

    /// Counts a call, carries it out, and fails it if a fault was injected.
    func answer<Value>(
        _ operation: SanctuaryOperation,
        to instance: FakeInstance,
        as user: String? = nil,
        _ body: (FakeWorld) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        try instance.checkAddress()
        let (fault, quirk, releases) = update { state in
            state.calls[operation, default: 0] += 1
            if let user { state.callers[operation, default: []].append(user) }
            return (state.nextFault(of: operation), state.nextCallbackQuirk(), state.releases)
        }
        if let quirk { try await callBack(quirk) }
        switch fault {
        case nil, .trickle, .chunked, .withoutLength, .encoded: break
        case .hold, .stall: try await hold(instance, after: releases)
        case .some(let fault):
            if fault.isCarriedOut { _ = try body(self) }
            throw fault.error(of: operation)
        }
        try instance.checkOpen()
        return try body(self)
    }

    /// Imitates the callback of an SDK for one call.
    private func callBack(_ quirk: CallbackQuirk) async throws {
        do {
            try await vendorCall { complete in
                switch quirk {
                case .twice: for _ in 1...2 { complete(.success(())) }
                case .never: break
                case .atOnce: complete(.failure(SanctuaryError(.unreachable, "the vendor did not even try")))
                }
                return .none
            }
        } catch is VendorDroppedCallback {
            throw SanctuaryError(.unknown, "the vendor has not called back")
        }
    }

    /// Waits for a release after this number of them.
    private func hold(_ instance: FakeInstance, after releases: Int) async throws {
        let owner = ObjectIdentifier(instance)
        try await vendorCall { complete in
            let id = update { $0.nextNumber() }
            changeHeld { $0[id] = Held(instance: owner, complete: complete) }
            // A later close or release finds the held call.
            do { try instance.checkOpen() } catch { complete(.failure(error)) }
            if update({ $0.releases }) > releases {
                changeHeld { $0[id] = nil }
                complete(.success(()))
            }
            return VendorCancellation { self.changeHeld { $0[id] = nil } }
        }
    }

    /// Changes the held calls, and resumes waiters whose condition now holds.
    @discardableResult
    private func changeHeld<Value: Sendable>(_ change: (inout [Int: Held]) -> Value) -> Value {
        let (value, met) = everything.withLock { everything in
            let value = change(&everything.held)
            everything.state.held = everything.held.count
            return (value, Self.takeMet(&everything))
        }
        for complete in met { complete(.success(())) }
        return value
    }

    /// Answers the held calls of one instance, or all.
    func release(_ instance: FakeInstance? = nil, with result: Result<Void, any Error> = .success(())) {
        let instance = instance.map { ObjectIdentifier($0) }
        if instance == nil { update { $0.releases += 1 } }
        let completions = changeHeld { all in
            let held = all.filter { instance == nil || $0.value.instance == instance }
            for id in held.keys { all[id] = nil }
            return held.values.map(\.complete)
        }
        for complete in completions { complete(result) }
    }

    /// Returns once `isMet` holds.
    func wait(until isMet: @escaping @Sendable (FakeState, Subscribers) -> Bool) async throws {
        try await vendorCall { complete in
            let (id, met) = everything.withLock { everything in
                let id = everything.state.nextNumber()
                everything.waiters[id] = Waiter(isMet: isMet, complete: complete)
                return (id, Self.takeMet(&everything))
            }
            for complete in met { complete(.success(())) }
            return VendorCancellation { self.everything.withLock { $0.waiters[id] = nil } }
        }
    }

    private static func takeMet(_ everything: inout Everything) -> [Completion] {
        let met = everything.waiters.filter { $0.value.isMet(everything.state, everything.subscribers) }
        for id in met.keys { everything.waiters[id] = nil }
        return met.values.map(\.complete)
    }

    // MARK: Streams

    /// The current subscribers.
    struct Subscribers: Sendable {
        var messages: [Int: (instance: ObjectIdentifier, buffer: EventBuffer<MessageEvent>)] = [:]
        var accessories: [Int: (instance: ObjectIdentifier, buffer: EventBuffer<AccessoryEvent>)] = [:]

        func count(of stream: SanctuaryStream) -> Int {
            switch stream {
            case .messages: messages.count
            case .accessories: accessories.count
            }
        }
    }

    var subscribers: Subscribers { everything.withLock { $0.subscribers } }

    func subscribe(_ buffer: EventBuffer<MessageEvent>, from instance: FakeInstance) {
        subscribe(instance, buffer) { $0.messages[$1] = $2 }
    }

    func subscribe(_ buffer: EventBuffer<AccessoryEvent>, from instance: FakeInstance) {
        delivery.withLock { _ in
            let current = everything.withLock { AccessoryEvent.current($0.state.sortedAccessories) }
            buffer.send(current, restart: { current })
            subscribe(instance, buffer) { $0.accessories[$1] = $2 }
        }
    }

    private func subscribe<Event>(
        _ instance: FakeInstance,
        _ buffer: EventBuffer<Event>,
        _ put: (inout Subscribers, Int, (instance: ObjectIdentifier, buffer: EventBuffer<Event>)?) -> Void
    ) {
        let (id, met) = everything.withLock { everything in
            let id = everything.state.nextNumber()
            put(&everything.subscribers, id, (ObjectIdentifier(instance), buffer))
            return (id, Self.takeMet(&everything))
        }
        for complete in met { complete(.success(())) }
        buffer.onTermination { self.unsubscribe(id) }
        // A later close finds the subscription.
        do { try instance.checkOpen() } catch { buffer.finish(throwing: error) }
    }

    private func unsubscribe(_ id: Int) {
        let met = everything.withLock { everything in
            everything.subscribers.messages[id] = nil
            everything.subscribers.accessories[id] = nil
            return Self.takeMet(&everything)
        }
        for complete in met { complete(.success(())) }
    }

    /// Ends the streams of one instance.
    func endStreams(of instance: FakeInstance, throwing error: SanctuaryError) {
        endMessages(of: instance, throwing: error)
        let (instance, subscribers) = (ObjectIdentifier(instance), self.subscribers)
        for (owner, buffer) in subscribers.accessories.values where owner == instance { buffer.finish(throwing: error) }
    }

    /// Ends the conversation's streams of one instance, including those not served yet.
    func endMessages(of instance: FakeInstance, throwing error: SanctuaryError) {
        let instance = ObjectIdentifier(instance)
        // Openings come first: one that is served meanwhile is a subscriber by then.
        let openings = update { state in
            state.openings.values.filter { $0.stream == .messages && $0.instance == instance }
        }
        for opening in openings { opening.end(error) }
        for (owner, buffer) in subscribers.messages.values where owner == instance { buffer.finish(throwing: error) }
    }

    /// Ends all streams of a kind.
    func endStreams(_ stream: SanctuaryStream, throwing error: SanctuaryError) {
        let subscribers = self.subscribers
        switch stream {
        case .messages: for (_, buffer) in subscribers.messages.values { buffer.finish(throwing: error) }
        case .accessories: for (_, buffer) in subscribers.accessories.values { buffer.finish(throwing: error) }
        }
    }

    /// Sends an event to the subscribers, and counts those dropped.
    private func deliver<Event>(
        _ stream: SanctuaryStream,
        _ buffers: some Sequence<EventBuffer<Event>>,
        _ send: (EventBuffer<Event>) -> Void
    ) {
        for buffer in buffers {
            let before = buffer.droppedCount
            send(buffer)
            let dropped = buffer.droppedCount - before
            if dropped > 0 { update { $0.drops[stream, default: 0] += dropped } }
        }
    }

    /// Changes the state, and notifies the conversation's subscribers.
    func publish<Value: Sendable, Failure: Error>(
        messages change: (inout FakeState) throws(Failure) -> (Value, [MessageEvent])
    ) throws(Failure) -> Value {
        try delivery.withLock { _ throws(Failure) in
            let (value, events) = try update(change)
            deliver(.messages, subscribers.messages.values.map(\.buffer)) { buffer in
                for event in events {
                    do throws(SanctuaryError) {
                        if case .received(let message) = event {
                            _ = try update { state throws(SanctuaryError) in try state.read(message, at: "") }
                        }
                        buffer.send(event, overflow: { SanctuaryError(.truncated, "too far behind the conversation") })
                    } catch {
                        buffer.finish(throwing: error)
                    }
                }
            }
            return value
        }
    }

    /// Changes the state, and notifies the accessories' subscribers.
    func publish<Value: Sendable, Failure: Error>(
        accessories change: (inout FakeState) throws(Failure) -> (Value, [AccessoryEvent])
    ) throws(Failure) -> Value {
        try delivery.withLock { _ throws(Failure) in
            let (value, events) = try update(change)
            let current = AccessoryEvent.current(update { $0.sortedAccessories })
            deliver(.accessories, subscribers.accessories.values.map(\.buffer)) { buffer in
                for event in events {
                    do throws(SanctuaryError) {
                        if case .changed(let accessory) = event {
                            _ = try update { state throws(SanctuaryError) in try state.read(accessory, at: "") }
                            issues.report(accessory.issues(at: ""), of: "accessory events")
                        }
                        buffer.send(event, restart: { current })
                    } catch {
                        buffer.finish(throwing: error)
                    }
                }
            }
            return value
        }
    }
}

extension FakeState {
    var sortedAccessories: [Accessory] { accessories.values.sorted { $0.id.rawValue < $1.id.rawValue } }
}

extension VendorFault {
    /// Whether the call is carried out and only its answer fails.
    fileprivate var isCarriedOut: Bool {
        switch self {
        case .appliedThenReset, .truncated, .malformedChunk, .wrongLength, .conflictingLengths: true
        default: false
        }
    }

    /// Returns the port's error for a fault: a change that was sent, and not refused, may have been made.
    fileprivate func error(of operation: SanctuaryOperation) -> SanctuaryError {
        var error = error
        if case .status = self, error.code != .unknown { return error }
        if operation.changesSomething { error.code = .outcomeUnknown }
        return error
    }

    private var error: SanctuaryError {
        switch self {
        case .status(let status, let retryAfter):
            SanctuaryError(
                SanctuaryError.Code(status: status),
                "the vendor refused the call",
                retryAfter: retryAfter,
                cause: SanctuaryError.Cause(domain: "HTTP", code: String(status), message: "as told")
            )
        case .html, .garbage: SanctuaryError(.decoding, "the answer is \(self)", subject: "body")
        case .truncated: SanctuaryError(.truncated, "the answer ended early")
        case .wrongLength: SanctuaryError(.truncated, "the answer's length is not the one declared")
        case .malformedChunk: SanctuaryError(.decoding, "a chunk of the answer is malformed", subject: "body")
        case .redirectLoop: SanctuaryError(.unknown, "the vendor redirects in a circle")
        case .conflictingLengths: SanctuaryError(.unreachable, "the answer has two lengths")
        case .reset, .emptyReply, .appliedThenReset, .hold, .stall, .trickle, .chunked, .withoutLength, .encoded,
            .vendorSpecific:
            SanctuaryError(.unreachable, "the connection was lost")
        }
    }
}
