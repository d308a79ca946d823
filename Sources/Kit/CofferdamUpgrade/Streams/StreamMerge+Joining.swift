import Cofferdam

// What a subscriber is told where the new side takes over.
extension StreamMerge {
    /// Tells an item in its place, unless it was told, or deleted.
    mutating func tell(_ element: Element, _ items: [StreamItem]) -> [StreamCommand<Element>] {
        let isNews = !told.contains(items) && !told.hasDeletion(of: items)
        // An echo of one's own has another id than the item: from now on both are known.
        told.add(items)
        guard isNews else { return [] }
        last = (items, element)
        return [.tell(element)]
    }

    /// Tells an item whose place was before what was told last.
    mutating func recover(_ element: Element, _ items: [StreamItem]) -> [StreamCommand<Element>] {
        guard !isOver, !told.contains(items), !told.hasDeletion(of: items) else { return [] }
        told.add(items)
        return tell(.recovered(element))
    }

    mutating func tell(_ gap: StreamGap<Element>) -> [StreamCommand<Element>] {
        switch moving.gap(gap) {
        case .element(let element): return [.tell(element)]
        case .end(let error): return finish(error)
        case .nothing: return []
        }
    }

    /// Ends the old side's part, and begins with the new side's, after what was told last.
    mutating func join() -> [StreamCommand<Element>] {
        guard let move else { return [] }
        if !isShared { told.removeAll() }
        // Where both sides have told something, the new one has everything after it.
        let common = move.heard.indices.filter { told.contains(move.heard[$0].items) }
        guard let first = common.first, let end = common.last else { return joinApart(move) }
        var commands: [StreamCommand<Element>] = []
        // What is told again of before the first of them is older than the subscription.
        for (index, heard) in move.heard[..<end].enumerated() where index >= first || !heard.isReplay {
            commands += recover(heard.element, heard.items)
        }
        return commands + tellHeard(from: end)
    }

    /// The new side has nothing of what was told.
    private mutating func joinApart(_ move: StreamMove<Element>) -> [StreamCommand<Element>] {
        // Nothing was told yet: what is told again is older than the subscription.
        let begin = last == nil || !isShared ? move.heard.firstIndex { !$0.isReplay } ?? move.heard.endIndex : 0
        guard mayMiss(move) else { return tellHeard(from: begin) }
        let next = move.heard[begin...].first { !told.hasDeletion(of: $0.items) }
        let commands = tell(.missing(after: last?.element, before: next?.element))
        guard !isOver, hasList, isShared, let last else { return commands + tellHeard(from: begin) }
        self.move?.phase = .listing
        self.move?.oldEnd = .init(error: nil)
        return commands + [.close(move.from), .list(move.to, after: last.element)]
    }

    /// Whether something may have been told by neither side.
    private func mayMiss(_ move: StreamMove<Element>) -> Bool {
        guard isShared, move.isComplete else { return true }
        guard last != nil else { return false }
        return switch move.beginning.replay {
        case .none: false
        // What was told last should be in it.
        case .until: true
        case .unmarked: !move.heard.isEmpty
        }
    }

    /// The new side takes over, with what was heard of it from that index on.
    mutating func tellHeard(from index: Int) -> [StreamCommand<Element>] {
        guard let move, !isOver else { return [] }
        var commands: [StreamCommand<Element>] = move.condition.map { [.tell($0)] } ?? []
        for heard in move.heard[index...] { commands += tell(heard.element, heard.items) }
        return takeOver(telling: commands)
    }
}
