// The part of UIKit that Examples/Screens uses, with the signatures that Apple documents, to type-check it where there is no
// UIKit. It does nothing.
@_exported import Foundation

public struct IndexPath: Hashable, Sendable {
    public init(item: Int, section: Int) {}
    public var item: Int { 0 }
    public var section: Int { 0 }
}

open class NSCoder {}

@MainActor open class UIResponder {
    public init() {}
}

@MainActor open class UIColor {
    public init() {}
    open class var label: UIColor { UIColor() }
    open class var systemGreen: UIColor { UIColor() }
}

@MainActor open class UIView: UIResponder {}

@MainActor open class UIScrollView: UIView {}

@MainActor open class UIViewController: UIResponder {
    public required init?(coder: NSCoder) { nil }
    public override init() {}
    open func viewDidLoad() {}
}

@MainActor open class UICollectionViewLayout {
    public init() {}
}

public struct UICollectionLayoutListConfiguration {
    public enum Appearance: Int, Sendable { case plain, grouped, insetGrouped, sidebar, sidebarPlain }
    public init(appearance: Appearance) {}
}

@MainActor open class UICollectionViewCompositionalLayout: UICollectionViewLayout {
    open class func list(using configuration: UICollectionLayoutListConfiguration)
        -> UICollectionViewCompositionalLayout
    {
        UICollectionViewCompositionalLayout()
    }
}

@MainActor public protocol UIContentConfiguration {}

public struct UIListContentConfiguration: UIContentConfiguration {
    public struct TextProperties {
        public var color: UIColor
    }

    public var text: String?
    public var secondaryText: String?
    public var textProperties: TextProperties

    @MainActor public static func cell() -> UIListContentConfiguration { UIListContentConfiguration() }
    @MainActor public static func subtitleCell() -> UIListContentConfiguration { UIListContentConfiguration() }
    @MainActor public static func plainHeader() -> UIListContentConfiguration { UIListContentConfiguration() }
    @MainActor init() { textProperties = TextProperties(color: UIColor()) }
}

@MainActor open class UICollectionReusableView: UIView {}

@MainActor open class UICollectionViewCell: UICollectionReusableView {
    open var contentConfiguration: (any UIContentConfiguration)?
}

@MainActor open class UICollectionViewListCell: UICollectionViewCell {}

@MainActor @preconcurrency public protocol UICollectionViewDataSource {
    func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int
    func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath) -> UICollectionViewCell
}

@MainActor open class UICollectionView: UIScrollView {
    @MainActor public struct CellRegistration<Cell: UICollectionViewCell, Item> {
        public typealias Handler = (_ cell: Cell, _ indexPath: IndexPath, _ itemIdentifier: Item) -> Void
        public init(handler: @escaping Handler) {}
    }

    open func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {}
    open func insertItems(at indexPaths: [IndexPath]) {}
    open func deleteItems(at indexPaths: [IndexPath]) {}
    open func reloadItems(at indexPaths: [IndexPath]) {}
    open func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {}
    public func dequeueConfiguredReusableCell<Cell: UICollectionViewCell, Item>(
        using registration: CellRegistration<Cell, Item>,
        for indexPath: IndexPath,
        item: Item?
    ) -> Cell { fatalError("a stub runs nothing") }
}

@MainActor open class UICollectionViewController: UIViewController, UICollectionViewDataSource {
    public init(collectionViewLayout layout: UICollectionViewLayout) { super.init() }
    public required init?(coder: NSCoder) { nil }
    open var collectionView: UICollectionView!
    open func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int { 0 }
    open func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath)
        -> UICollectionViewCell
    { UICollectionViewCell() }
    open func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath) {}
}
