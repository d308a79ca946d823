import Cofferdam

extension StreamOperation {
    private typealias Events = PortStream<Subject, Event>.Events

    /// At least one for each of the ``rules``.
    public var mutants: [Mutant<Subject>] {
        [
            reversing, losing, beginningAnyhow,
            changing("STRM-02", "delivers the last event again after the end", memory: Ending()) {
                source,
                memory,
                effect in
                guard let last = memory.last, memory.isOver else {
                    do {
                        let event = try await source.next(isolation: nil)
                        memory.isOver = event == nil
                        memory.last = event ?? memory.last
                        return event
                    } catch {
                        memory.isOver = true
                        throw error
                    }
                }
                effect.occurred()
                memory.last = nil
                return last
            },
            changing("STRM-03", "treats a lost connection as the end", memory: ()) { source, _, effect in
                do {
                    return try await source.next(isolation: nil)
                } catch {
                    effect.occurred()
                    return nil
                }
            },
            making("STRM-04", "does not notice that a consumer has gone") { clean, effect in
                let buffer = EventBuffer<Event>(limit: .max)
                Self.pour(clean(), into: buffer)
                buffer.onTermination { effect.occurred() }
                return buffer.events
            },
            unsubscribingTwice,
            making("STRM-06", "keeps every stream that was ever requested", memory: Kept<Events>()) {
                clean,
                kept,
                effect in
                let events = clean()
                kept.keep(events)
                effect.occurred()
                return events
            },
            making("STRM-06", "unsubscribes, and keeps its buffer", memory: Kept<EventBuffer<Event>>()) {
                clean,
                kept,
                effect in
                let buffer = EventBuffer<Event>()
                let task = Self.pour(clean(), into: buffer)
                buffer.onTermination { task.cancel() }
                kept.keep(buffer)
                effect.occurred()
                return buffer.events
            },
            making("STRM-07", "buffers without a bound") { clean, effect in
                let buffer = EventBuffer<Event>(limit: .max)
                let task = Self.pour(clean(), into: buffer)
                buffer.onTermination { task.cancel() }
                effect.occurred()
                return buffer.events
            },
            stealing,
            making("STRM-09", "subscribes at the first iteration") { clean, effect in
                effect.occurred()
                return LateEvents(make: clean)
            },
            making("STRM-10", "silently resumes with the newest event") { clean, effect in
                skipping(clean(), effect) { $0 == 6 }
            },
            making("STRM-11", "loses events that arrive in several pieces", memory: Kept<Void>()) {
                clean,
                kept,
                effect in
                // The rule's second stream arrives in pieces.
                kept.keep(()) == 2 ? skipping(clean(), effect) { $0 == 3 } : clean()
            },
        ]
            // A stream that begins with the current state may begin with the event that stands for the dropped ones.
            + (beginning == nil ? [silentlyDropping] : []) + (removal.map { removals($0) } ?? [])
            + (repeatsPast ? [] : [repeatingPast])
    }

    private func removals(_ removal: Removal) -> [Mutant<Subject>] {
        [
            changing("STRM-12", "does not deliver removals", memory: ()) { source, _, effect in
                while let event = try await source.next(isolation: nil) {
                    guard removal.isRemoval(event) else { return event }
                    effect.occurred()
                }
                return nil
            },
            changing("STRM-12", "delivers a removal twice", memory: Event?.none) { source, held, effect in
                if let event = held.take() {
                    effect.occurred()
                    return event
                }
                let event = try await source.next(isolation: nil)
                if let event, removal.isRemoval(event) { held = event }
                return event
            },
        ]
    }

    /// Begins with the last single event that another subscriber has received.
    private var repeatingPast: Mutant<Subject> {
        making("STRM-13", "starts with events that earlier subscribers received", memory: Kept<Event>()) {
            clean,
            kept,
            effect in
            let past = kept.last
            return ChangedEvents(clean(), memory: past) { source, past in
                guard let event = try await source.next(isolation: nil) else { return nil }
                // If a stream begins with the current state, the past event follows it.
                guard !isWhole(event) else { return event }
                if let repeated = past.take() {
                    effect.occurred()
                    return repeated
                }
                kept.keep(event)
                return event
            }
        }
    }

    /// Delivers two events at a time, the second one first.
    private var reversing: Mutant<Subject> {
        changing(
            "STRM-01",
            "swaps every two events, as concurrent yields may",
            memory: Event?.none
        ) { source, held, effect in
            if let event = held.take() { return event }
            guard let first = try await source.next(isolation: nil) else { return nil }
            // A stream's beginning stays at the beginning.
            guard number(first) ?? 0 > 0, !isWhole(first), let second = try await source.next(isolation: nil) else {
                return first
            }
            held = first
            effect.occurred()
            return second
        }
    }

    private var losing: Mutant<Subject> {
        making("STRM-01", "silently loses an event") { clean, effect in skipping(clean(), effect) { $0 == 2 } }
    }

    private var beginningAnyhow: Mutant<Subject> {
        changing("STRM-01", "skips the first event", memory: false) { source, hasBegun, effect in
            if hasBegun { return try await source.next(isolation: nil) }
            hasBegun = true
            effect.occurred()
            _ = try await source.next(isolation: nil)
            return try await source.next(isolation: nil)
        }
    }

    /// Unsubscribes twice; the second time, it ends another subscriber's subscription.
    private var unsubscribingTwice: Mutant<Subject> {
        making("STRM-05", "unsubscribes twice, the second time another subscriber", memory: Kept<EventBuffer<Event>>())
        {
            clean,
            kept,
            effect in
            let buffer = EventBuffer<Event>()
            let task = Self.pour(clean(), into: buffer)
            kept.keep(buffer)
            buffer.onTermination {
                task.cancel()
                let others = kept.takeAll().filter { $0 !== buffer }
                if !others.isEmpty { effect.occurred() }
                for other in others { other.finish() }
            }
            return buffer.events
        }
    }

    /// Does not report what it has dropped, neither by an error nor by an event that stands for all.
    private var silentlyDropping: Mutant<Subject> {
        changing("STRM-07", "drops events silently", memory: ()) { source, _, effect in
            do {
                while let event = try await source.next(isolation: nil) {
                    guard isWhole(event) else { return event }
                    effect.occurred()
                }
                return nil
            } catch  where overflow.isError(error) {
                effect.occurred()
                return nil
            }
        }
    }

    /// The second subscriber takes every third event from the first.
    private var stealing: Mutant<Subject> {
        making("STRM-08", "delivers each event to one subscriber only", memory: Kept<Void>()) { clean, kept, effect in
            kept.keep(()) == 1 ? skipping(clean(), effect) { $0 % 3 == 0 } : clean()
        }
    }

    /// The events without single ones.
    private func skipping(
        _ events: Events,
        _ effect: MutantEffect,
        _ isSkipped: @escaping @Sendable (Int) -> Bool
    ) -> Events {
        ChangedEvents(events, memory: ()) { source, _ in
            while let event = try await source.next(isolation: nil) {
                guard !isWhole(event), let number = number(event), isSkipped(number) else { return event }
                effect.occurred()
            }
            return nil
        }
    }

    @discardableResult
    private static func pour(_ events: Events, into buffer: EventBuffer<Event>) -> Task<Void, Never> {
        Task(executorPreference: nil) {
            do {
                var iterator = events.makeAsyncIterator()
                while let event = try await iterator.next(isolation: nil) {
                    buffer.send(event, overflow: { CancellationError() })
                }
                buffer.finish()
            } catch {
                buffer.finish(throwing: error)
            }
        }
    }

    private func changing<Memory: Sendable>(
        _ rule: RuleID,
        _ name: String,
        memory: Memory,
        _ next:
            @escaping @Sendable (inout ChangedEvents<Event, Memory>.Source, inout Memory, MutantEffect) async throws ->
            Event?
    ) -> Mutant<Subject> {
        making(rule, name) { clean, effect in
            ChangedEvents(clean(), memory: memory) { try await next(&$0, &$1, effect) }
        }
    }

    private func making(
        _ rule: RuleID,
        _ name: String,
        _ make: @escaping @Sendable (_ clean: @escaping @Sendable () -> Events, MutantEffect) -> Events
    ) -> Mutant<Subject> {
        Mutant(rule, "\(name) (\(stream.name))") { subject, effect in
            stream.replaced(in: subject) { make($0, effect) }
        }
    }

    private func making<Value>(
        _ rule: RuleID,
        _ name: String,
        memory: @autoclosure @escaping @Sendable () -> Kept<Value>,
        _ make: @escaping @Sendable (_ clean: @escaping @Sendable () -> Events, Kept<Value>, MutantEffect) -> Events
    ) -> Mutant<Subject> {
        Mutant(rule, "\(name) (\(stream.name))") { subject, effect in
            let kept = memory()
            return stream.replaced(in: subject) { make($0, kept, effect) }
        }
    }

    private struct Ending: Sendable {
        var last: Event?
        var isOver = false
    }
}

/// The values that a mutant has kept.
private final class Kept<Value: Sendable>: Sendable {
    private let state = Mutex((values: [Value](), count: 0))

    /// - Returns: how many values it has ever received.
    @discardableResult
    func keep(_ value: Value) -> Int {
        state.withLock { state in
            state.values.append(value)
            state.count += 1
            return state.count
        }
    }

    var last: Value? { state.withLock { $0.values.last } }

    func takeAll() -> [Value] {
        state.withLock { state in
            defer { state.values = [] }
            return state.values
        }
    }
}
