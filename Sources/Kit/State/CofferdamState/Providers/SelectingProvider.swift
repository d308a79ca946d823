package import Cofferdam

/// Chooses one of several candidates, such as one of several connected accessories, and again whenever they change.
///
/// Create one and inject it: its users share the choice.
public final class SelectingProvider<Candidate: Identifiable & Equatable & Sendable>: Sendable {
    private let rule: SelectionRule<Candidate>
    private let source: ProviderSource<Selection<Candidate>>
    private let following = Mutex<ListenerToken?>(nil)

    /// Creates a provider that chooses among `candidates` by `rule`.
    public init(_ candidates: [Candidate] = [], rule: SelectionRule<Candidate>) {
        self.rule = rule
        let chosen = rule.choose(from: candidates)
        source = ProviderSource(Selection(chosen: chosen, events: [.current(chosen)]))
    }

    /// Chooses among the candidates of a provider.
    public convenience init(following candidates: Provider<[Candidate]>, rule: SelectionRule<Candidate>) {
        self.init(candidates.current, rule: rule)
        let token = candidates.listen { [weak self] in self?.set($0) }
        following.withLock { $0 = token }
    }

    /// The current choice.
    public var chosen: Candidate? { source.current.chosen }

    /// How many listeners the choice has, including running commands.
    package var listenerCount: Int { source.listenerCount }

    /// The choice and its last events. Listeners get every change; `states` may skip to the latest.
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

    /// All events: first ``SelectionEvent/current(_:)``, which also replaces lost events when the subscriber is more than `limit`
    /// behind. Iterate it once.
    package func events(limit: Int = 1024) -> EventStream<SelectionEvent<Candidate>> {
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

/// A choice and the events that led to it.
public struct Selection<Candidate: Identifiable & Equatable & Sendable>: Sendable, Equatable {
    /// The chosen candidate; nil if none is eligible.
    public var chosen: Candidate?
    /// The events since the last choice: none, one, or the loss of one candidate and the choice of another.
    public var events: [SelectionEvent<Candidate>]
}

/// An event of a choice.
public enum SelectionEvent<Candidate: Identifiable & Equatable & Sendable>: Sendable, Equatable {
    /// The current choice, for a new subscriber or after lost events.
    case current(Candidate?)
    /// Another candidate was chosen.
    case chosen(Candidate)
    /// The chosen candidate has changed.
    case changed(Candidate)
    /// The chosen candidate is gone or no longer eligible.
    case lost(Candidate)
}

extension SelectingProvider {
    /// Runs a command on the chosen candidate, and never on a later one.
    ///
    /// When the candidate is lost or replaced, the command is cancelled and awaited: it must react to cancellation. Its
    /// value is returned if it succeeds anyway.
    ///
    /// - Throws: ``NothingChosen`` before anything is run; ``ChoiceLost`` if the command failed after its candidate was no
    ///   longer chosen; otherwise what the command throws.
    public func perform<Value: Sendable>(
        _ command: @escaping @Sendable (Candidate) async throws -> Value
    ) async throws -> Value {
        let events = events()
        var beginning = events.makeAsyncIterator()
        guard case .current(let bound?) = try await beginning.next() else { throw NothingChosen() }
        let result = await withTaskGroup(of: CommandOutcome<Value>.self) { group in
            group.addTask {
                do { return .finished(.success(try await command(bound))) } catch { return .finished(.failure(error)) }
            }
            group.addTask {
                do {
                    for try await event in events where event.ends(bound) { return .lost }
                } catch {}  // Cancelled: the last watcher has left.
                return .unwatched
            }
            var result: Result<Value, any Error> = .failure(CancellationError())
            var isLost = false
            for await outcome in group {
                switch outcome {
                case .unwatched: continue
                case .lost: isLost = true
                case .finished(.failure) where isLost: result = .failure(ChoiceLost())
                case .finished(let finished): result = finished
                }
                group.cancelAll()
            }
            return result
        }
        return try result.get()
    }
}

private enum CommandOutcome<Value: Sendable>: Sendable {
    case finished(Result<Value, any Error>)
    case lost
    case unwatched
}

extension SelectionEvent {
    /// Whether that candidate is no longer the chosen one.
    fileprivate func ends(_ bound: Candidate) -> Bool {
        switch self {
        case .current(let chosen): chosen?.id != bound.id
        case .lost(let lost): lost.id == bound.id
        case .chosen(let chosen), .changed(let chosen): chosen.id != bound.id
        }
    }
}

/// No candidate is eligible, so there is no target for a command.
public struct NothingChosen: Error, Sendable, Hashable {
    package init() {}
}

/// The chosen candidate was lost or replaced during a command, whose outcome is unknown.
public struct ChoiceLost: Error, Sendable, Hashable {
    package init() {}
}

/// The rule by which a candidate is chosen. It depends only on the candidates, not on their order or the last choice, so that
/// every screen chooses the same one.
public struct SelectionRule<Candidate: Sendable>: Sendable {
    private let isEligible: @Sendable (Candidate) -> Bool
    private let isBetter: @Sendable (Candidate, Candidate) -> Bool

    /// - Parameters:
    ///   - isEligible: whether a candidate may be chosen at all.
    ///   - rank: the highest wins.
    ///   - tie: among equal ranks the lowest wins; use something unique, such as the id.
    public init(
        where isEligible: @escaping @Sendable (Candidate) -> Bool = { _ in true },
        best rank: @escaping @Sendable (Candidate) -> some Comparable & SendableMetatype,
        ties tie: @escaping @Sendable (Candidate) -> some Comparable & SendableMetatype
    ) {
        self.isEligible = isEligible
        self.isBetter = { a, b in
            let (rankA, rankB) = (rank(a), rank(b))
            return rankA == rankB ? tie(a) < tie(b) : rankA > rankB
        }
    }

    /// Chooses the eligible candidate with the lowest `tie`.
    public init(
        where isEligible: @escaping @Sendable (Candidate) -> Bool,
        ties tie: @escaping @Sendable (Candidate) -> some Comparable & SendableMetatype
    ) {
        self.init(where: isEligible, best: { _ in 0 }, ties: tie)
    }

    /// Returns the candidate that the rule chooses; nil if none is eligible.
    package func choose(from candidates: some Sequence<Candidate>) -> Candidate? {
        candidates.filter(isEligible).min(by: isBetter)
    }
}
