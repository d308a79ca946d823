import CofferdamUpgrade
import SanctuaryDomain

extension Comparator {
    /// A first page, item by item.
    static func pages<Item>(of items: Comparator<Item>) -> Self where Value == Page<Item> {
        Self().list("items", \.items, items).field("next", { $0.next != nil }) { $0 ? "more" : "the last page" }
    }
}
