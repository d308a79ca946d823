import Cofferdam
@testable import CofferdamState
import Testing
import TestSupport

@Suite struct MessageListPresenterTests {
    /// A client's own model, unknown to the kit.
    struct Note: Identifiable, Hashable, Sendable {
        var id: Int
        var writer = "amara"
        var words = "text"
        var day = ""
    }

    /// Renders rows as short text: the message's id, "*" if it names its author, ">" if it is selected.
    struct ShortRenderer: MessageListRenderer {
        typealias Model = Note
        var onMessage: @Sendable (MessageListItem<Note>) -> Void = { _ in }

        func message(_ item: MessageListItem<Note>) -> String {
            onMessage(item)
            return "\(item.isSelected ? ">" : "")\(item.model.id)\(item.namesAuthor ? "*" : "")"
        }
        func day(_ name: String) -> String { "[\(name)]" }
        func earlier(_ count: Int) -> String { "+\(count)" }
        func empty(_ text: String) -> String { text }
        func list(_ cells: [String], title: String) -> String { title + cells.joined(separator: " ") }
    }

    final class Delegate: MessageListDelegate {
        let log = Log<String>()
        func messageList(didSelect item: MessageListItem<Note>) { log.add("select \(item.model.id)") }
        func messageList(willDisplay item: MessageListItem<Note>) { log.add("display \(item.model.id)") }
    }

    private func presenter(
        _ notes: Provider<[Note]>,
        _ configuration: MessageListConfiguration = MessageListConfiguration(),
        delegate: Delegate? = nil
    ) -> MessageListPresenter<Note> {
        MessageListPresenter(notes, configuration: configuration, delegate: delegate) { note in
            MessageContent(author: note.writer, text: note.words, day: note.day)
        }
    }

    private static let talk = [
        Note(id: 0, day: "Mon"), Note(id: 1, day: "Mon"), Note(id: 2, writer: "kenji", day: "Mon"),
        Note(id: 3, writer: "kenji", day: "Tue"), Note(id: 4, day: "Tue"),
    ]

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var rows: String
        var notes = MessageListPresenterTests.talk
        var change: @Sendable (inout MessageListConfiguration) -> Void = { _ in }
        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(name: "by default", rows: "[Mon] 0* 1 2* [Tue] 3* 4*"),
        Case(name: "the newest first", rows: "[Tue] 4* 3* [Mon] 2* 1* 0") { $0.order = .newestFirst },
        Case(name: "no days", rows: "0* 1 2* 3 4*") { $0.showsDays = false },
        Case(name: "every author", rows: "[Mon] 0* 1* 2* [Tue] 3* 4*") { $0.groupsByAuthor = false },
        Case(name: "a limit", rows: "+3 [Tue] 3* 4*") { $0.limit = 2 },
        Case(name: "a limit, the newest first", rows: "[Tue] 4* 3* +3") {
            $0.limit = 2
            $0.order = .newestFirst
        },
        Case(name: "a limit of none", rows: "+5") { $0.limit = 0 },
        Case(name: "a limit below none", rows: "+5") { $0.limit = -1 },
        Case(name: "a limit beyond all", rows: "[Mon] 0* 1 2* [Tue] 3* 4*") { $0.limit = 5 },
        Case(name: "a title", rows: "Talk [Mon] 0*", notes: [Note(id: 0, day: "Mon")]) { $0.title = "Talk " },
        Case(name: "nothing", rows: "no messages yet", notes: []),
        Case(name: "nothing, in the client's words", rows: "silence", notes: []) { $0.emptyText = "silence" },
        Case(name: "days without names", rows: "0* 1", notes: [Note(id: 0), Note(id: 1)]),
    ])
    func `the configuration decides which rows there are`(row: Case) {
        let source = ProviderSource(row.notes)
        let list = presenter(source.provider, .defaults(row.change))
        #expect(list.present(with: ShortRenderer()) == row.rows)
    }

    @Test func `the rows follow the data source`() {
        let source = ProviderSource<[Note]>([])
        let list = presenter(source.provider)
        let log = Log<Int>()
        let token = list.rows.listen { log.add($0.count) }
        source.update { $0.append(Note(id: 0)) }
        source.update { $0.append(Note(id: 1, writer: "kenji")) }
        source.set([])
        #expect(log.entries == [1, 1, 2, 1])
        #expect(list.rows.current == [.empty("no messages yet")])
        token.cancel()
    }

    @Test func `a selection is shown, notifies the delegate, and ends with its message`() {
        let source = ProviderSource(Self.talk)
        let delegate = Delegate()
        let list = presenter(source.provider, .defaults { $0.showsDays = false }, delegate: delegate)
        #expect(list.select(2))
        #expect(list.select(9) == false)
        #expect(delegate.log.entries == ["select 2"])
        #expect(list.present(with: ShortRenderer()) == "0* 1 >2* 3 4*")
        list.select(0)
        #expect(list.present(with: ShortRenderer()) == ">0* 1 2* 3 4*")
        list.deselect()
        #expect(list.present(with: ShortRenderer()) == "0* 1 2* 3 4*")
        list.select(0)
        source.set([])
        #expect(list.select(0) == false)
        source.set(Self.talk)
        #expect(list.present(with: ShortRenderer()) == "0* 1 2* 3 4*")
    }

    @Test func `the delegate is notified of each message before its cell is rendered`() {
        let source = ProviderSource(Array(Self.talk.prefix(3)))
        let delegate = Delegate()
        let list = presenter(source.provider, .defaults { $0.limit = 2 }, delegate: delegate)
        _ = list.present(with: ShortRenderer { delegate.log.add("cell \($0.model.id)") })
        #expect(delegate.log.entries == ["display 1", "cell 1", "display 2", "cell 2"])
    }

    @Test func `neither the delegate nor the presenter is kept alive`() {
        let source = ProviderSource(Self.talk)
        weak var gone: Delegate?
        do {
            let list: MessageListPresenter<Note>
            do {
                let delegate = Delegate()
                gone = delegate
                list = presenter(source.provider, delegate: delegate)
                #expect(list.select(1))
                #expect(delegate.log.entries == ["select 1"])
            }
            #expect(gone == nil)
            #expect(list.select(2))
            #expect(source.listenerCount == 1)
        }
        #expect(source.listenerCount == 0)
    }

    @Test func `after changes from many threads the rows are the last ones`() async {
        let source = ProviderSource<[Note]>([])
        let list = presenter(source.provider)
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<50 { source.update { $0.append(Note(id: task * 50 + number)) } }
                }
                group.addTask { for id in 0..<50 { list.select(id) } }
            }
        }
        await until { list.rows.current.count == 200 }
        let models = list.rows.current.compactMap { row in
            if case .message(let item) = row { item.model } else { nil as Note? }
        }
        #expect(models == source.current)
    }
}
