import Cofferdam
import CofferdamState
import CofferdamStore
import Testing
import TestSupport

@Suite struct CellSourceTests {
    struct Note: Identifiable, Hashable, Sendable {
        var id: Int
        var isMine = false
        var text = "text"
        var day = "Mon"
    }

    private typealias Row = MessageListRow<Note>

    /// A cell as text: its kind, its index and what it shows.
    private func cells(asked: (Row.Kind) -> Void = { _ in }) -> CellSource<Row, String> {
        CellSource { kind in
            asked(kind)
            return { row, index in
                switch row {
                case .message(let item): "\(kind) \(index) \(item.content.text)"
                case .day(let name): "\(kind) \(index) \(name)"
                case .earlier(let count): "\(kind) \(index) \(count)"
                case .empty(let text): "\(kind) \(index) \(text)"
                }
            }
        }
    }

    private func rows(of notes: [Note], limit: Int? = nil) -> [Row] {
        let source = ProviderSource(notes)
        let list = MessageListPresenter(source.provider, configuration: .defaults { $0.limit = limit }) { note in
            MessageContent(author: "amara", text: note.text, day: note.day, isOwn: note.isMine)
        }
        return list.rows.current
    }

    @Test func `each row has the cell that is registered for its kind`() {
        var source = cells()
        _ = source.show(rows(of: [Note(id: 1), Note(id: 2), Note(id: 3, isMine: true)], limit: 2))
        #expect(
            source.rows.indices.map { source.cell(at: $0) } == [
                "earlier 0 1", "day 1 Mon", "message 2 text", "ownMessage 3 text",
            ]
        )
        _ = source.show(rows(of: []))
        #expect(source.cell(at: 0) == "empty 0 no messages yet")
    }

    @Test func `each kind is registered once, before there are rows`() {
        var asked: [Row.Kind] = []
        var source = cells { asked.append($0) }
        _ = source.show(rows(of: [Note(id: 1), Note(id: 2)]))
        _ = source.cell(at: 1)
        #expect(asked == Row.Kind.allCases)
    }

    @Test(arguments: [-1, 2, .max]) func `there is no cell outside of the rows`(index: Int) {
        var source = cells()
        #expect(source.cell(at: 0) == nil)
        _ = source.show(rows(of: [Note(id: 1)]))
        #expect(source.cell(at: index) == nil)
        #expect(source.cell(at: 1) != nil)
    }

    @Test func `new rows come with the updates that show them`() {
        var source = cells()
        let first = [Note(id: 1), Note(id: 2, day: "Tue")]
        #expect(source.show(rows(of: [])).inserts == [0])
        let opened = source.show(rows(of: first))
        #expect(opened.deletes == [0] && opened.inserts == [0, 1, 2, 3])
        let changed = source.show(
            rows(of: [Note(id: 1, text: "new"), Note(id: 2, day: "Tue"), Note(id: 3, day: "Tue")])
        )
        #expect(changed.deletes == [] && changed.inserts == [4] && changed.moves == [] && changed.reloads == [1])
        #expect(source.cell(at: 1) == "message 1 new")
    }

    @Test func `older and removed messages change no other row`() {
        var source = cells()
        let notes = (1...4).map { Note(id: $0, day: "") }
        _ = source.show(rows(of: Array(notes[1...])))
        let older = source.show(rows(of: notes))
        #expect(older.inserts == [0] && older.reloads == [1])  // which no longer names the author
        let removed = source.show(rows(of: [notes[0], notes[2], notes[3]]))
        #expect(removed.deletes == [1] && removed.inserts == [] && removed.moves == [] && removed.reloads == [])
    }
}
