import Cofferdam

/// The elements of one stream from two sides, put in one: which are told, and when the other side takes over. It knows neither
/// time nor tasks: it is told what happens, and answers with what is to be done.
///
/// A move opens the new side while the old one goes on. As soon as the new side has what was told last, it takes over there.
/// Where it never has it, the old side is listened to for a round trip after the new one is in step: what the new side cannot
/// have, the old one has told then.
struct StreamMerge<Element: Sendable>: Sendable {
    let moving: StreamHandover<Element>
    let hasList: Bool
    /// Whether both sides tell of one backend. Otherwise no element of one is found on the other.
    let isShared: Bool
    /// The side whose elements are told.
    private(set) var active: Side
    private(set) var isOver = false
    var move: StreamMove<Element>?
    var told: DeliveredItems
    var last: (items: [StreamItem], element: Element)?
    private var wanted: Side
    /// Whether the stage still opens the side that is to be left.
    private var mayStay = true
    /// Whether the next move does not wait for its turn.
    private var atOnce = false
    private var moves = 0
    private var waits = 0
    private var rests = 0
    private var isResting = false

    init(moving: StreamHandover<Element>, beginningOn side: Side, hasList: Bool = false, isShared: Bool = true) {
        self.moving = moving
        self.hasList = hasList
        self.isShared = isShared
        (active, wanted) = (side, side)
        told = DeliveredItems(memory: moving.limits.memory)
    }

    // MARK: What happens

    /// The unit is to be on that side.
    ///
    /// - Parameters:
    ///   - mayStay: whether the stage opens the other side too, so that the stream may stay there if the move fails.
    ///   - atOnce: whether it does not wait for its turn: the kill switch.
    mutating func want(_ side: Side, mayStay: Bool, atOnce: Bool) -> [StreamCommand<Element>] {
        (wanted, self.mayStay, self.atOnce) = (side, mayStay, atOnce)
        if let move, side == move.from, move.oldEnd == nil { return giveUp() }
        return goIfWanted()
    }

    /// A side is subscribed. One that is to take over, and will not say that it is, is believed to be after a while.
    func subscribed(_ side: Side) -> [StreamCommand<Element>] {
        guard !isOver, let move, side == move.to, move.beginning.acknowledges == nil else { return [] }
        return [.wait(moving.limits.acknowledgement, StreamTimer(purpose: .acknowledgement, number: moves))]
    }

    mutating func received(_ element: Element, from side: Side) -> [StreamCommand<Element>] {
        guard !isOver, side == active || side == move?.to else { return [] }
        switch moving.nature {
        case .state(let isCurrent):
            if side == active, move == nil || side == move?.from { return [.tell(element)] }
            return isCurrent(element) ? takeOver(telling: [.tell(element)]) : []
        case .items(let item):
            if let move, side == move.to {
                self.move?.hear(element, item(element))
                return goOn()
            }
            let commands = overlapAgain()
            guard let item = item(element) else { return commands + [.tell(element)] + endIfOverdue() }
            return commands + tell(element, [item]) + goOn() + endIfOverdue()
        }
    }

    /// A side's stream is over: by an error, or in order.
    mutating func ended(_ side: Side, by error: (any Error)?) -> [StreamCommand<Element>] {
        guard !isOver else { return [] }
        guard let move else { return side == active ? finish(error) : [] }
        if side == move.from {
            self.move?.oldEnd = .init(error: error)
            return goOn()
        }
        if let oldEnd = move.oldEnd { return finish(error ?? oldEnd.error) }
        return mayStay ? giveUp() : finish(error)
    }

    /// A side could not be opened, so that nothing was told.
    ///
    /// - Parameter fallback: the side that is listened to in its place, until the next move.
    mutating func couldNotOpen(_ side: Side, _ error: any Error, fallback: Side?) -> [StreamCommand<Element>] {
        guard !isOver, move == nil, side == active, let fallback else { return ended(side, by: error) }
        active = fallback
        return [.open(fallback)] + rest()
    }

    /// - Parameter isOldSideIdle: whether the old side has nothing more to be fetched.
    mutating func elapsed(_ timer: StreamTimer, isOldSideIdle: Bool) -> [StreamCommand<Element>] {
        guard !isOver else { return [] }
        if timer.purpose == .rest {
            guard timer.number == rests else { return [] }
            isResting = false
            return goIfWanted()
        }
        let isRoundTrip = timer.purpose == .roundTrip || timer.purpose == .hold
        guard let move, timer.number == (isRoundTrip ? move.wait : moves) else { return [] }
        switch (timer.purpose, move.phase) {
        case (.acknowledgement, .opening):
            self.move?.isAcknowledged = true
            return goOn()
        case (.roundTrip, .overlapping):
            guard isOldSideIdle else { return [.wait(moving.limits.roundTrip, timer)] }
            self.move?.isComplete = true
            self.move?.phase = .holding
            return [wait(.hold)]
        case (.hold, .holding):
            return join()
        case (.deadline, _):
            self.move?.isOverdue = true
            return endIfOverdue()
        default: return []
        }
    }

    /// What the list has after the element that was asked for; empty if it could not be had.
    mutating func listed(_ elements: [Element]) -> [StreamCommand<Element>] {
        guard !isOver, move?.phase == .listing else { return [] }
        var commands: [StreamCommand<Element>] = []
        if case .items(let item) = moving.nature {
            for element in elements {
                // What the new side has told meanwhile follows in its order.
                guard let item = item(element), move?.hearAgain(item) == false else { continue }
                commands += recover(element, [item])
            }
        }
        return commands + tellHeard(from: 0)
    }

    // MARK: Moves

    private mutating func goIfWanted() -> [StreamCommand<Element>] {
        guard !isOver, move == nil, wanted != active, atOnce || !isResting else { return [] }
        moves += 1
        move = StreamMove(from: active, to: wanted, beginning: moving.beginning(of: wanted))
        let deadline = StreamTimer(purpose: .deadline, number: moves)
        return [.open(wanted)] + rest() + [.wait(moving.limits.opening, deadline)]
    }

    private mutating func rest() -> [StreamCommand<Element>] {
        rests += 1
        isResting = true
        return [.wait(moving.limits.betweenMoves, StreamTimer(purpose: .rest, number: rests))]
    }

    /// The old side goes on, as if there had been no other.
    private mutating func giveUp() -> [StreamCommand<Element>] {
        guard let move else { return [] }
        self.move = nil
        return [.close(move.to)] + rest()
    }

    /// Takes the next step of a move, if it is time.
    private mutating func goOn() -> [StreamCommand<Element>] {
        guard let move, move.isInStep, move.phase != .listing, case .items = moving.nature else { return [] }
        // A side that has gone, or tells of something else, says nothing more that would be worth the waiting.
        if move.oldEnd != nil || !isShared { return join() }
        if let last, last.items.contains(where: move.hasHeard) { return join() }
        guard move.phase == .opening else { return [] }
        self.move?.phase = .overlapping
        return [wait(.roundTrip)]
    }

    /// The old side had more to tell than its round trip allowed for, as when the process stood still meanwhile.
    private mutating func overlapAgain() -> [StreamCommand<Element>] {
        guard move?.phase == .holding else { return [] }
        self.move?.phase = .overlapping
        self.move?.isComplete = false
        return [wait(.roundTrip)]
    }

    /// Ends a move that takes too long, and is not about to end by itself.
    private mutating func endIfOverdue() -> [StreamCommand<Element>] {
        guard let move, move.isOverdue, move.phase == .opening || move.phase == .overlapping else { return [] }
        if move.oldEnd == nil, mayStay { return giveUp() }
        return move.isInStep ? join() : finish(move.oldEnd?.error ?? StreamMoveTimedOut(side: move.to))
    }

    private mutating func wait(_ purpose: StreamTimer.Purpose) -> StreamCommand<Element> {
        waits += 1
        move?.wait = waits
        return .wait(moving.limits.roundTrip, StreamTimer(purpose: purpose, number: waits))
    }

    mutating func takeOver(telling commands: [StreamCommand<Element>]) -> [StreamCommand<Element>] {
        guard let move else { return [] }
        active = move.to
        self.move = nil
        // It may have been called back while there was no way back.
        return [.close(move.from)] + commands + goIfWanted()
    }

    mutating func finish(_ error: (any Error)?) -> [StreamCommand<Element>] {
        isOver = true
        move = nil
        return Side.allCases.map { .close($0) } + [.finish(error)]
    }
}

// MARK: - Fetching

extension StreamMerge {
    /// When a side's next element is fetched.
    enum Attention: Sendable, Hashable {
        /// When the subscriber asks for one.
        case onDemand
        /// As soon as it is there, as long as less than ``StreamLimits/memory`` wait to be told.
        case ahead(waiting: Int)
        case none
    }

    func attention(to side: Side) -> Attention {
        guard let move else { return side == active ? .onDemand : .none }
        if side == move.to { return .ahead(waiting: move.heard.count) }
        return move.phase == .holding ? .none : .ahead(waiting: 0)
    }
}
