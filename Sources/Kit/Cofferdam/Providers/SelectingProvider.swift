/// Chooses one of several candidates, as one logically connected accessory out of those that are near, and again whenever
/// they change.
///
/// Make one and inject it: whoever shares it shares the choice.
public final class SelectingProvider<Candidate: Identifiable & Equatable & Sendable>: Sendable {
    private let rule: SelectionRule<Candidate>
    private let source: ProviderSource<Selection<Candidate>>
    private let following = Mutex<ListenerToken?>(nil)

    public init(_ candidates: [Candidate] = [], rule: SelectionRule<Candidate>) {
        self.rule = rule
        let chosen = rule.choose(from: candidates)
        source = ProviderSource(Selection(chosen: chosen, events: [.current(chosen)]))
    }

    /// Chooses among what a provider gives, and again with each change of it.
    public convenience init(following candidates: Provider<[Candidate]>, rule: SelectionRule<Candidate>) {
        self.init(candidates.current, rule: rule)
        let token = candidates.listen { [weak self] in self?.set($0) }
        following.withLock { $0 = token }
    }

    /// The one that is chosen now.
    public var chosen: Candidate? { source.current.chosen }

    /// How many listen to the choice now, commands under way included.
    package var listenerCount: Int { source.listenerCount }

    /// The choice, and what has just happened to it. Listeners hear every change; `states` may skip to the latest.
    public var selection: Provider<Selection<Candidate>> { source.provider }

    /// Replaces the candidates, and returns the choice among them.
    @discardableResult
    public func set(_ candidates: [Candidate]) -> Selection<Candidate> {
        let new = rule.choose(from: candidates)
        let isStillThere = { (old: Candidate) in
            candidates.contains { $0.id == old.id && self.rule.choose(from: CollectionOfOne($0)) != nil }
        }
        return source.update { selection in
            selection = Selection(chosen: new, events: Self.events(from: selection.chosen, to: new, isStillThere))
            return selection
        }
    }

    private static func events(
        from old: Candidate?,
        to new: Candidate?,
        _ isStillThere: (Candidate) -> Bool
    ) -> [SelectionEvent<Candidate>] {
        var events: [SelectionEvent<Candidate>] = []
        if let old, old.id != new?.id, !isStillThere(old) { events.append(.lost(old)) }
        if let new {
            if new.id != old?.id { events.append(.chosen(new)) } else if new != old { events.append(.changed(new)) }
        }
        return events
    }

    /// Every event for this subscriber: first ``SelectionEvent/current(_:)``, and that again in place of what was lost when
    /// it is more than `limit` events behind. Iterate it once.
    public func events(limit: Int = 1024) -> EventStream<SelectionEvent<Candidate>> {
        let buffer = EventBuffer<SelectionEvent<Candidate>>(limit: limit)
        let isFirst = Mutex(true)
        let token = selection.listen { selection in
            let isFirst = isFirst.withLock { flag in
                defer { flag = false }
                return flag
            }
            for event in isFirst ? [.current(selection.chosen)] : selection.events {
                buffer.send(event, restart: { .current(selection.chosen) })
            }
        }
        buffer.onTermination { token.cancel() }
        return buffer.events
    }
}

/// Which candidate is chosen, and what led to it.
public struct Selection<Candidate: Identifiable & Equatable & Sendable>: Sendable, Equatable {
    public var chosen: Candidate?
    /// What has happened since the choice before: nothing, one event, or the loss of one and the choice of another.
    public var events: [SelectionEvent<Candidate>]
}

/// What happens to a choice.
public enum SelectionEvent<Candidate: Identifiable & Equatable & Sendable>: Sendable, Equatable {
    /// What there is when a subscriber comes, or has missed events.
    case current(Candidate?)
    /// Another one is chosen.
    case chosen(Candidate)
    /// The chosen one is the same, and has changed.
    case changed(Candidate)
    /// The chosen one has gone, or may no longer be chosen.
    case lost(Candidate)
}
