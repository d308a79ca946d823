import Cofferdam

/// Merges one stream from two sides: decides which elements the subscriber gets, and when the new side takes over. It
/// uses neither clocks nor tasks: it receives events and returns commands.
///
/// A handover opens the new side while the old one continues. As soon as the new side has sent the element that was
/// delivered last, it takes over from there. If it never sends it, the merge listens to the old side for one more round
/// trip after the new side has caught up, so that the old side delivers what the new one cannot have.
struct StreamMerge<Element: Sendable>: Sendable {
    let handover: StreamHandover<Element>
    let hasList: Bool
    /// Whether both sides stream from one backend. If not, no element of one side appears on the other.
    let isShared: Bool
    /// The side whose elements are delivered.
    private(set) var active: Side
    private(set) var isOver = false
    var progress: HandoverProgress<Element>? { didSet { isHandingOver = progress != nil } }
    /// Apart, because an element must not cost a copy of the progress.
    private var isHandingOver = false
    var delivered: DeliveredItems
    var last: (event: StreamEvent, element: Element)?
    private var wanted: Side
    /// Whether the stage still opens the old side.
    private var canStay = true
    /// Whether the next handover starts without waiting for the limit between handovers.
    private var atOnce = false
    private var handovers = 0
    private var waits = 0
    private var rests = 0
    private var isResting = false

    init(handover: StreamHandover<Element>, beginningOn side: Side, hasList: Bool = false, isShared: Bool = true) {
        self.handover = handover
        self.hasList = hasList
        self.isShared = isShared
        (active, wanted) = (side, side)
        delivered = DeliveredItems(memory: handover.limits.memory)
    }

    // MARK: Events

    /// The unit belongs on that side now.
    ///
    /// - Parameters:
    ///   - canStay: whether the stage opens the other side too, so that the stream may stay there if the handover
    ///     fails.
    ///   - atOnce: whether the handover starts at once, because the kill switch demands it.
    mutating func want(_ side: Side, canStay: Bool, atOnce: Bool) -> [StreamCommand<Element>] {
        (wanted, self.canStay, self.atOnce) = (side, canStay, atOnce)
        if let progress, side == progress.from, progress.oldEnd == nil { return cancelHandover() }
        return startIfWanted()
    }

    /// A side is subscribed. A new side that sends no acknowledgement counts as subscribed after a while.
    func subscribed(_ side: Side) -> [StreamCommand<Element>] {
        guard !isOver, let progress, side == progress.to, progress.beginning.acknowledges == nil else { return [] }
        return [.wait(handover.limits.acknowledgement, StreamTimer(purpose: .acknowledgement, number: handovers))]
    }

    /// Receives an element while there is no handover, without a list of commands.
    ///
    /// - Returns: whether the subscriber gets it; nil if there is a handover.
    mutating func passes(_ element: Element, from side: Side) -> Bool? {
        guard !isHandingOver else { return nil }
        guard !isOver, side == active else { return false }
        guard case .items(let item) = handover.nature, let item = item(element) else { return true }
        return isNew(element, StreamEvent(item))
    }

    mutating func received(_ element: Element, from side: Side) -> [StreamCommand<Element>] {
        if let passes = passes(element, from: side) { return passes ? [.emit(element)] : [] }
        guard !isOver, side == active || side == progress?.to else { return [] }
        switch handover.nature {
        case .state(let isCurrent):
            if side == active { return [.emit(element)] }
            return isCurrent(element) ? takeOver(emitting: [.emit(element)]) : []
        case .items(let item):
            if let progress, side == progress.to {
                self.progress?.buffer(element, item(element))
                return advance()
            }
            let event = item(element).map { StreamEvent($0) }
            let emitted = event.map { emit(element, $0) } ?? [.emit(element)]
            return restartOverlap() + emitted + (event == nil ? [] : advance()) + endIfOverdue()
        }
    }

    /// A side ended its stream, with an error or without.
    mutating func ended(_ side: Side, by error: (any Error)?) -> [StreamCommand<Element>] {
        guard !isOver else { return [] }
        guard let progress else { return side == active ? finish(error) : [] }
        if side == progress.from {
            self.progress?.oldEnd = .init(error: error)
            return advance()
        }
        if progress.phase == .listing {
            self.progress?.newEnd = .init(error: error)
            return []
        }
        if let oldEnd = progress.oldEnd { return finish(error ?? oldEnd.error) }
        return canStay ? cancelHandover() : finish(error)
    }

    /// A side could not be opened, and delivered nothing.
    ///
    /// - Parameter fallback: the side to listen to instead, until the next handover.
    mutating func couldNotOpen(_ side: Side, _ error: any Error, fallback: Side?) -> [StreamCommand<Element>] {
        guard !isOver, progress == nil, side == active, let fallback else { return ended(side, by: error) }
        active = fallback
        return [.open(fallback)] + rest()
    }

    /// - Parameter isOldSideIdle: whether the old side has no more elements to fetch.
    mutating func elapsed(_ timer: StreamTimer, isOldSideIdle: Bool) -> [StreamCommand<Element>] {
        guard !isOver else { return [] }
        if timer.purpose == .rest {
            guard timer.number == rests else { return [] }
            isResting = false
            return startIfWanted()
        }
        let isRoundTrip = timer.purpose == .roundTrip || timer.purpose == .hold
        guard let progress, timer.number == (isRoundTrip ? progress.wait : handovers) else { return [] }
        switch (timer.purpose, progress.phase) {
        case (.acknowledgement, .opening):
            self.progress?.isAcknowledged = true
            return advance()
        case (.roundTrip, .overlapping):
            guard isOldSideIdle else { return [.wait(handover.limits.roundTrip, timer)] }
            self.progress?.isComplete = true
            self.progress?.phase = .holding
            return [wait(.hold)]
        case (.hold, .holding):
            return join()
        case (.deadline, _):
            self.progress?.isOverdue = true
            return endIfOverdue()
        default: return []
        }
    }

    /// Receives the elements that the list has after the last one delivered; empty if the list failed.
    mutating func listed(_ elements: [Element]) -> [StreamCommand<Element>] {
        guard !isOver, let progress, progress.phase == .listing else { return [] }
        var commands: [StreamCommand<Element>] = []
        if case .items(let item) = handover.nature {
            for element in elements {
                // Elements that the new side sent meanwhile follow in their own order.
                guard let item = item(element), self.progress?.noteDuplicate(item) == false else { continue }
                commands += recover(element, StreamEvent(item))
            }
        }
        commands += emitBuffered(from: 0)
        if !isOver, let end = progress.newEnd { commands += finish(end.error) }
        return commands
    }

    // MARK: Handovers

    private mutating func startIfWanted() -> [StreamCommand<Element>] {
        guard !isOver, progress == nil, wanted != active, atOnce || !isResting else { return [] }
        handovers += 1
        progress = HandoverProgress(from: active, to: wanted, beginning: handover.beginning(of: wanted))
        let deadline = StreamTimer(purpose: .deadline, number: handovers)
        return [.open(wanted)] + rest() + [.wait(handover.limits.opening, deadline)]
    }

    private mutating func rest() -> [StreamCommand<Element>] {
        rests += 1
        isResting = true
        return [.wait(handover.limits.betweenMoves, StreamTimer(purpose: .rest, number: rests))]
    }

    /// Cancels the handover: the old side continues.
    private mutating func cancelHandover() -> [StreamCommand<Element>] {
        guard let progress else { return [] }
        self.progress = nil
        return [.close(progress.to)] + rest()
    }

    /// Takes the next step of the handover, if it is due.
    private mutating func advance() -> [StreamCommand<Element>] {
        guard let progress, progress.isCaughtUp, progress.phase != .listing, case .items = handover.nature else {
            return []
        }
        // There is nothing to wait for from an old side that has ended or that streams other data.
        if progress.oldEnd != nil || !isShared { return join() }
        if let last, last.event.contains(where: progress.hasBuffered) { return join() }
        guard progress.phase == .opening else { return [] }
        self.progress?.phase = .overlapping
        return [wait(.roundTrip)]
    }

    /// The old side sent an element after its round trip, for example because the process was suspended.
    private mutating func restartOverlap() -> [StreamCommand<Element>] {
        guard progress?.phase == .holding else { return [] }
        self.progress?.phase = .overlapping
        self.progress?.isComplete = false
        return [wait(.roundTrip)]
    }

    /// Ends a handover that takes too long, unless it is about to end anyway.
    private mutating func endIfOverdue() -> [StreamCommand<Element>] {
        guard let progress, progress.isOverdue, progress.phase == .opening || progress.phase == .overlapping else {
            return []
        }
        if progress.oldEnd == nil, canStay { return cancelHandover() }
        return progress.isCaughtUp
            ? join() : finish(progress.oldEnd?.error ?? StreamHandoverTimedOut(side: progress.to))
    }

    private mutating func wait(_ purpose: StreamTimer.Purpose) -> StreamCommand<Element> {
        waits += 1
        let number = waits
        progress?.wait = number
        return .wait(handover.limits.roundTrip, StreamTimer(purpose: purpose, number: number))
    }

    mutating func takeOver(emitting commands: [StreamCommand<Element>]) -> [StreamCommand<Element>] {
        guard let progress else { return [] }
        active = progress.to
        self.progress = nil
        // The unit may have been sent back in the meantime.
        return [.close(progress.from)] + commands + startIfWanted()
    }

    mutating func finish(_ error: (any Error)?) -> [StreamCommand<Element>] {
        isOver = true
        progress = nil
        return Side.allCases.map { .close($0) } + [.finish(error)]
    }
}

// MARK: - Fetching

extension StreamMerge {
    /// When the carrier fetches the next element of a side.
    enum FetchPolicy: Sendable, Hashable {
        /// When the subscriber asks for one.
        case onDemand
        /// As soon as it arrives, while fewer than `StreamLimits.memory` elements are buffered.
        case ahead(waiting: Int)
        case none
    }

    func fetchPolicy(to side: Side) -> FetchPolicy {
        guard isHandingOver, let progress else { return side == active ? .onDemand : .none }
        if side == progress.to { return .ahead(waiting: progress.buffered.count) }
        return progress.phase == .holding ? .none : .ahead(waiting: 0)
    }
}

// The elements that a subscriber gets when the new side takes over.
extension StreamMerge {
    /// Emits an item in order, unless it was delivered or deleted before.
    mutating func emit(_ element: Element, _ event: StreamEvent) -> [StreamCommand<Element>] {
        isNew(element, event) ? [.emit(element)] : []
    }

    /// Notes an item that is to be delivered, unless it was delivered or deleted before.
    private mutating func isNew(_ element: Element, _ event: StreamEvent) -> Bool {
        let isDeleted = delivered.hasDeletion(of: event)
        // An echo of the client's own item has another id than the item: remember both.
        guard delivered.add(event), !isDeleted else { return false }
        last = (event, element)
        return true
    }

    /// Emits an item that belongs before the last one delivered.
    mutating func recover(_ element: Element, _ event: StreamEvent) -> [StreamCommand<Element>] {
        guard !isOver, !delivered.contains(event), !delivered.hasDeletion(of: event) else { return [] }
        delivered.add(event)
        return emit(.recovered(element))
    }

    mutating func emit(_ gap: StreamGap<Element>) -> [StreamCommand<Element>] {
        switch handover.gap(gap) {
        case .element(let element): return [.emit(element)]
        case .end(let error): return finish(error)
        case .nothing: return []
        }
    }

    /// Leaves the old side, and continues with the new one after the last element delivered.
    mutating func join() -> [StreamCommand<Element>] {
        guard let progress else { return [] }
        if !isShared { delivered.removeAll() }
        // After an element that both sides have sent, the new side is complete.
        let common = progress.buffered.indices.filter { delivered.contains(progress.buffered[$0].event) }
        guard let first = common.first, let end = common.last else { return joinWithoutOverlap(progress) }
        var commands: [StreamCommand<Element>] = []
        // A replayed element before the first common one is older than the subscription.
        for (index, buffered) in progress.buffered[..<end].enumerated() where index >= first || !buffered.isReplay {
            commands += recover(buffered.element, buffered.event)
        }
        return commands + emitBuffered(from: end)
    }

    /// Joins although the new side has sent none of the delivered elements.
    private mutating func joinWithoutOverlap(_ progress: HandoverProgress<Element>) -> [StreamCommand<Element>] {
        // Nothing was delivered yet, so a replayed element is older than the subscription.
        let begin =
            last == nil || !isShared ? progress.buffered.firstIndex { !$0.isReplay } ?? progress.buffered.endIndex : 0
        guard mayHaveMissed(progress) else { return emitBuffered(from: begin) }
        let next = progress.buffered[begin...].first { !delivered.hasDeletion(of: $0.event) }
        let commands = emit(.missing(after: last?.element, before: next?.element))
        guard !isOver, hasList, isShared, let last else { return commands + emitBuffered(from: begin) }
        self.progress?.phase = .listing
        self.progress?.oldEnd = .init(error: nil)
        return commands + [.close(progress.from), .list(progress.to, after: last.element)]
    }

    /// Returns whether both sides may have missed an element.
    private func mayHaveMissed(_ progress: HandoverProgress<Element>) -> Bool {
        guard isShared, progress.isComplete else { return true }
        guard last != nil else { return false }
        return switch progress.beginning.replay {
        case .none: false
        // The replay should have included the last element delivered.
        case .until: true
        case .unmarked: !progress.buffered.isEmpty
        }
    }

    /// Lets the new side take over, starting with the buffered elements from `index` on.
    mutating func emitBuffered(from index: Int) -> [StreamCommand<Element>] {
        guard let progress, !isOver else { return [] }
        var commands: [StreamCommand<Element>] = progress.condition.map { [.emit($0)] } ?? []
        for buffered in progress.buffered[index...] { commands += emit(buffered.element, buffered.event) }
        return takeOver(emitting: commands)
    }
}
