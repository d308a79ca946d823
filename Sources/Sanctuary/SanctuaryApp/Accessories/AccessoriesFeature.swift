public import Cofferdam  // the rule by which an accessory is chosen
public import SanctuaryDomain  // the domain's accessories

/// The accessories near the keeper, and the one in use: chosen by one rule for every screen.
public struct AccessoriesFeature: Sendable {
    private let port: any Accessories
    private let selecting = SelectingProvider<Accessory>(rule: Self.rule)

    init(port: any Accessories) { self.port = port }

    /// The active one; there is at most one, and the lowest id wins if a vendor ever says otherwise.
    public static let rule = SelectionRule<Accessory>(where: { $0.link == .active }, ties: \.id.rawValue)

    /// The accessory in use, as of the last read or event: the same for every screen. Its loss is an event.
    public var chosen: Provider<Selection<Accessory>> { selecting.selection }

    /// All that are in reach, and the chosen one.
    public func accessories() async throws -> AccessoriesState {
        let all = try await port.accessories()
        let selection = selecting.set(all)
        return AccessoriesState(all: all, chosen: selection.chosen, events: selection.events)
    }

    /// Has the one in use do something. The command is that accessory's: it never reaches another that is chosen meanwhile.
    ///
    /// - Returns: who was told.
    /// - Throws: `noAccessory` if none is in use, before anything is sent; `outcomeUnknown` if it was lost meanwhile.
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

    /// The state at first, and after every change; the vendor's error ends it. Iterate it once. During an iteration ``chosen``
    /// follows, and a command ends whose accessory is lost.
    public func watch() -> AccessoriesStates { AccessoriesStates(port.events(), telling: selecting) }

    public func activate(_ id: AccessoryID) async throws { try await port.activate(id) }

    public func release(_ id: AccessoryID) async throws { try await port.release(id) }
}

/// The accessories at one moment.
public struct AccessoriesState: Sendable, Equatable {
    /// By id.
    public var all: [Accessory]
    /// The one in use.
    public var chosen: Accessory?
    /// What has just happened to the choice; the loss of the chosen one is `lost`.
    public var events: [SelectionEvent<Accessory>]
}

/// The states of the accessories, for `for try await`.
public struct AccessoriesStates: AsyncSequence, Sendable {
    public typealias Element = AccessoriesState
    public typealias Failure = any Error
    private let events: any AsyncSequence<AccessoryEvent, any Error> & Sendable
    private let shared: SelectingProvider<Accessory>

    /// - Parameter shared: every screen's choice, which follows this one.
    init(
        _ events: any AsyncSequence<AccessoryEvent, any Error> & Sendable,
        telling shared: SelectingProvider<Accessory>
    ) {
        self.events = events
        self.shared = shared
    }

    public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator(), shared: shared) }

    public struct Iterator: AsyncIteratorProtocol {
        private var events: any AsyncIteratorProtocol<AccessoryEvent, any Error>
        private var all: [AccessoryID: Accessory] = [:]
        private let shared: SelectingProvider<Accessory>
        /// Each watcher gets every event.
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
