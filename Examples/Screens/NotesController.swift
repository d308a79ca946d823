// Type-checked against stubs of UIKit, never run.
#if canImport(UIKit)
import Cofferdam
import CofferdamState
import CofferdamStore
import Observation
import UIKit

/// A message of the app's own.
struct Note: Identifiable, Hashable, Sendable {
    var id: Int
    var author: String
    var text: String
    var day: String
}

/// A list of messages, with a cell for each kind of row, that shows each change as batch updates.
final class NotesController: UICollectionViewController {
    typealias Row = MessageListRow<Note>

    private let list: MessageListPresenter<Note>
    private let rows: Observed<[Row]>
    private lazy var cells = CellSource<Row, UICollectionViewCell> { [unowned self] in makeCell(of: $0) }

    init(_ list: MessageListPresenter<Note>) {
        self.list = list
        rows = Observed(list.rows)
        let plain = UICollectionLayoutListConfiguration(appearance: .plain)
        super.init(collectionViewLayout: UICollectionViewCompositionalLayout.list(using: plain))
    }

    /// There is no storyboard with this controller.
    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
        super.viewDidLoad()
        follow()
    }

    /// Shows the rows now and after each change. Nothing falls between reading them and registering for the next change:
    /// both are in one step of the main actor, and they change in another.
    private func follow() {
        let newest = withObservationTracking {
            rows.value
        } onChange: { [weak self] in
            Task { @MainActor in self?.follow() }
        }
        show(newest)
    }

    private func show(_ newest: [Row]) {
        var reloads: [Int] = []
        // The rows change within the batch: UIKit asks for their number before and after it.
        collectionView.performBatchUpdates { [self] in
            let updates = cells.show(newest)
            collectionView.deleteItems(at: paths(updates.deletes))
            collectionView.insertItems(at: paths(updates.inserts))
            for move in updates.moves { collectionView.moveItem(at: path(move.from), to: path(move.to)) }
            reloads = updates.reloads
        }
        collectionView.reloadItems(at: paths(reloads))
    }

    private func path(_ index: Int) -> IndexPath { IndexPath(item: index, section: 0) }
    private func paths(_ indices: [Int]) -> [IndexPath] { indices.map { path($0) } }

    // MARK: Cells

    /// Registers the cell of a kind. It is called once for each kind, when the view has loaded.
    private func makeCell(of kind: Row.Kind) -> CellSource<Row, UICollectionViewCell>.MakeCell {
        let registration = UICollectionView.CellRegistration<UICollectionViewListCell, Row> { cell, _, row in
            var content = kind == .day ? UIListContentConfiguration.plainHeader() : .subtitleCell()
            switch row {
            case .message(let item):
                content.text = item.content.text
                content.secondaryText = item.namesAuthor ? item.content.author : nil
                content.textProperties.color = kind == .ownMessage ? .systemGreen : .label
            case .day(let name): content.text = name
            case .earlier(let count): content.text = "\(count) earlier"
            case .empty(let text): content.text = text
            }
            cell.contentConfiguration = content
        }
        return { [unowned self] row, index in
            collectionView.dequeueConfiguredReusableCell(using: registration, for: path(index), item: row)
        }
    }

    override func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
        cells.rows.count
    }

    override func collectionView(
        _ collectionView: UICollectionView,
        cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell {
        // UIKit asks only for items that were counted.
        cells.cell(at: indexPath.item) ?? UICollectionViewCell()
    }

    override func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath) {
        guard case .message(let item) = cells.rows[indexPath.item] else { return }
        list.select(item.model.id)
    }
}
#endif
