import Cofferdam
public import CofferdamState  // the rule by which an accessory is chosen
public import SanctuaryDomain  // the domain's accessories

/// The accessories near the keeper, and the one in use, which one rule selects for every screen.
public struct AccessoriesFeature: Sendable {
    private let port: any Accessories
    private let selecting = SelectingProvider<Accessory>(rule: Self.rule)

    init(port: any Accessories) { self.port = port }

    /// Selects the active accessory. There is at most one; should a vendor ever report several, the lowest id wins.
    public static let rule = SelectionRule<Accessory>(where: { $0.link == .active }, ties: \.id.rawValue)

    /// The accessory in use, as of the last read or event, the same for every screen. Losing it is an event.
    public var chosen: Provider<Selection<Accessory>> { selecting.selection }

    /// Returns all accessories in reach, and the one in use.
    public func accessories() async throws -> AccessoriesState {
        let all = try await port.accessories()
        let selection = selecting.set(all)
        return AccessoriesState(all: all, chosen: selection.chosen, events: selection.events)
    }

    /// Sends a command to the accessory in use. The command never reaches another accessory that is chosen in the
    /// meantime.
    ///
    /// - Returns: the accessory that received the command.
    /// - Throws: `noAccessory` if none is in use, before anything is sent; `outcomeUnknown` if it was lost after that.
    @discardableResult
    public func perform(_ command: AccessoryCommand) async throws -> Accessory {
        _ = try await accessories()
        do {
            return try await selecting.perform { [port] accessory in
                try await port.perform(command, on: accessory.id)
                return accessory
            }
        } catch is NothingChosen {
            throw FeatureError(.noAccessory, "no accessory is in use", subject: command.rawValue)
        } catch is ChoiceLost {
            throw SanctuaryError(.outcomeUnknown, "the accessory was lost meanwhile", subject: command.rawValue)
        }
    }

    /// The current state, and then the state after every change; the vendor's error ends the sequence. Iterate it once.
    /// Iterating keeps ``chosen`` up to date, and ends a running command when its accessory is lost.
    public func watch() -> AccessoriesStates { AccessoriesStates(port.events(), updating: selecting) }

    public func activate(_ id: AccessoryID) async throws { try await port.activate(id) }

    public func release(_ id: AccessoryID) async throws { try await port.release(id) }
}

/// The accessories at one moment.
public struct AccessoriesState: Sendable, Equatable {
    /// All accessories in reach, ordered by id.
    public var all: [Accessory]
    /// The one in use.
    public var chosen: Accessory?
    /// The changes of the selection that led to this state; losing the accessory in use is `lost`.
    public var events: [SelectionEvent<Accessory>]
}

/// The states of the accessories, as an asynchronous sequence.
public struct AccessoriesStates: AsyncSequence, Sendable {
    public typealias Element = AccessoriesState
    public typealias Failure = any Error
    private let events: any AsyncSequence<AccessoryEvent, any Error> & Sendable
    private let shared: SelectingProvider<Accessory>

    /// - Parameter shared: the selection of all screens, which this sequence updates.
    init(
        _ events: any AsyncSequence<AccessoryEvent, any Error> & Sendable,
        updating shared: SelectingProvider<Accessory>
    ) {
        self.events = events
        self.shared = shared
    }

    public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator(), shared: shared) }

    public struct Iterator: AsyncIteratorProtocol {
        private var events: any AsyncIteratorProtocol<AccessoryEvent, any Error>
        private var all: [AccessoryID: Accessory] = [:]
        private let shared: SelectingProvider<Accessory>
        /// A selection per iterator, so that each one receives every event.
        private let selecting = SelectingProvider<Accessory>(rule: AccessoriesFeature.rule)

        fileprivate init(
            events: any AsyncIteratorProtocol<AccessoryEvent, any Error>,
            shared: SelectingProvider<Accessory>
        ) {
            self.events = events
            self.shared = shared
        }

        public mutating func next() async throws -> AccessoriesState? { try await next(isolation: #isolation) }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(any Error) -> AccessoriesState? {
            guard let event = try await events.next(isolation: actor) else { return nil }
            switch event {
            case .current(let accessories):
                all = Dictionary(accessories.map { ($0.id, $0) }) { _, last in last }
            case .changed(let accessory):
                all[accessory.id] = accessory
            case .removed(let id):
                all[id] = nil
            }
            let sorted = all.values.sorted { $0.id.rawValue < $1.id.rawValue }
            shared.set(sorted)
            let selection = selecting.set(sorted)
            return AccessoriesState(all: sorted, chosen: selection.chosen, events: selection.events)
        }
    }
}
