import Cofferdam

/// The logic of a list of messages without a user interface: its rows, the selection and the delegate. The client provides the
/// messages, the cells and the reaction to a selection.
///
///     let list = MessageListPresenter(messages, delegate: screen) { message in
///         MessageContent(author: message.author, text: message.text)
///     }
///     print(list.present(with: LineRenderer()))
public final class MessageListPresenter<Model: Identifiable & Sendable>: Sendable where Model.ID: Sendable {
    private struct State {
        var models: [Model] = []
        var selected: Model.ID?
        var version = 0

        /// If the selected message is gone, the selection is cleared.
        mutating func replace(by models: [Model]) {
            self.models = models
            if let selected, !models.contains(where: { $0.id == selected }) { self.selected = nil }
        }
    }

    /// How the list is shown.
    public let configuration: MessageListConfiguration
    private let content: @Sendable (Model) -> MessageContent
    private let delegate: @Sendable () -> (any MessageListDelegate<Model>)?
    private let state = Mutex(State())
    private let source = ProviderSource<[MessageListRow<Model>]>([])
    private let listening = Mutex<ListenerToken?>(nil)

    /// - Parameters:
    ///   - messages: the data source: all messages, oldest first, as they change.
    ///   - delegate: held weakly.
    ///   - content: what to show of the client's own model; called on whichever thread changes the messages.
    public init(
        _ messages: Provider<[Model]>,
        configuration: MessageListConfiguration = MessageListConfiguration(),
        delegate: (any MessageListDelegate<Model>)? = nil,
        content: @escaping @Sendable (Model) -> MessageContent
    ) {
        self.configuration = configuration
        self.content = content
        self.delegate = { [weak delegate] in delegate }
        let token = messages.listen { [weak self] models in self?.change { $0.replace(by: models) } }
        listening.withLock { $0 = token }
    }

    /// The rows, in the order in which they are shown, as they change.
    public var rows: Provider<[MessageListRow<Model>]> { source.provider }

    /// Selects a message and notifies the delegate.
    ///
    /// - Returns: false, and nothing changes, if there is no such message now.
    @discardableResult
    public func select(_ id: Model.ID) -> Bool {
        let wasFound = change { state in
            guard state.models.contains(where: { $0.id == id }) else { return false }
            state.selected = id
            return true
        }
        guard wasFound, let item = item(of: id) else { return false }
        delegate()?.messageList(didSelect: item)
        return true
    }

    /// Clears the selection.
    public func deselect() { change { $0.selected = nil } }

    /// Renders each row in order, and the list of cells. The delegate is notified of each message before its cell is rendered.
    public func present<Renderer: MessageListRenderer<Model>>(with renderer: Renderer) -> Renderer.Output {
        let cells = source.current.map { row in
            switch row {
            case .message(let item):
                delegate()?.messageList(willDisplay: item)
                return renderer.message(item)
            case .day(let name): return renderer.day(name)
            case .earlier(let count): return renderer.earlier(count)
            case .empty(let text): return renderer.empty(text)
            }
        }
        return renderer.list(cells, title: configuration.title)
    }

    private func item(of id: Model.ID) -> MessageListItem<Model>? {
        let (models, selected) = state.withLock { ($0.models, $0.selected) }
        guard let index = models.firstIndex(where: { $0.id == id }) else { return nil }
        return MessageListItem(
            model: models[index],
            content: content(models[index]),
            namesAuthor: true,
            isSelected: selected == id
        )
    }

    /// The client's closure runs outside of the lock; rows that were overtaken meanwhile are dropped.
    @discardableResult
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, changed) = state.withLock { state in
            let result = body(&state)
            state.version += 1
            return (result, state)
        }
        let rows = MessageListLayout(configuration, content).rows(of: changed.models, selected: changed.selected)
        state.withLock { if $0.version == changed.version { source.post(rows) } }
        source.deliver()
        return result
    }
}

/// How a list of messages is shown; everything has a default.
///
///     let configuration = MessageListConfiguration.defaults { $0.limit = 50 }
public struct MessageListConfiguration: Sendable, Hashable {
    /// The order of the messages on the screen.
    public enum Order: Sendable, Hashable, CaseIterable {
        case oldestFirst, newestFirst
    }

    /// The title above the list; empty for none.
    public var title = ""
    /// The order of the messages.
    public var order = Order.oldestFirst
    /// The maximum number of messages, of which the newest are shown with a note of the others. Nil for all.
    public var limit: Int?
    /// Whether each day begins with its name.
    public var showsDays = true
    /// Whether consecutive messages name their author once.
    public var groupsByAuthor = true
    /// The text of an empty list.
    public var emptyText = "no messages yet"

    /// Creates the default configuration.
    public init() {}

    /// The default configuration with changes.
    public static func defaults(_ change: (inout MessageListConfiguration) -> Void) -> MessageListConfiguration {
        var configuration = MessageListConfiguration()
        change(&configuration)
        return configuration
    }
}

/// Is notified of events in a list of messages. Held weakly; called on the thread that shows or selects.
public protocol MessageListDelegate<Model>: AnyObject, Sendable {
    associatedtype Model: Identifiable & Sendable

    /// The reader has selected a message.
    func messageList(didSelect item: MessageListItem<Model>)

    /// A message's cell is about to be made.
    func messageList(willDisplay item: MessageListItem<Model>)
}

extension MessageListDelegate {
    /// Does nothing, for delegates that do not observe selection.
    public func messageList(didSelect item: MessageListItem<Model>) {}
    /// Does nothing, for delegates that do not observe which messages are shown.
    public func messageList(willDisplay item: MessageListItem<Model>) {}
}
