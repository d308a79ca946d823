public import Cofferdam  // comparators are the kit's values
public import SanctuaryDomain  // what is compared

// Only first pages are compared. A vendor's maximum is not visible (LIST-07): if one of two pages ends earlier and
// continues, only as many items are compared as both have.

extension Comparator {
    /// Compares first pages, item by item.
    public static func pages<Item>(of items: Comparator<Item>) -> Self where Value == Page<Item> {
        Self().aligned(.fronts(of: items)) { trimmed(Front($0), Front($1)) }
    }

    fileprivate static func fronts<Item>(of items: Comparator<Item>) -> Self where Value == Front<Item> {
        Self().list("items", \.items, items).field("next", \.hasMore) { $0 == true ? "more" : "the last page" }
            .field("leftOut", \.omitsItems) { $0 ? "some" : "none" }
    }
}

extension Comparator<Page<Message>> {
    /// Compares first pages of messages, ignoring their order: V1 sorts by the senders' clocks (D22). For a longer list
    /// it compares the messages that are on both sides' first page.
    public static var messagePages: Self {
        Self().aligned(.fronts(of: .messages)) { legacy, candidate in
            var (legacy, candidate) = trimmed(Front(legacy), Front(candidate))
            if legacy.hasMore != false || candidate.hasMore != false {
                let (old, new) = (Set(legacy.items.map(\.id)), Set(candidate.items.map(\.id)))
                legacy.items.removeAll { !new.contains($0.id) }
                candidate.items.removeAll { !old.contains($0.id) }
            }
            legacy.items.sort { $0.id.rawValue < $1.id.rawValue }
            candidate.items.sort { $0.id.rawValue < $1.id.rawValue }
            return (legacy, candidate)
        }
    }
}

extension Comparator<Page<Order>> {
    /// Compares first pages of orders. Orders that V1 cannot have, because they are not in its single currency (D17),
    /// are reported as "leftOut".
    public static var orderPages: Self {
        Self().aligned(.fronts(of: .orders)) { legacy, candidate in
            var new = Front(candidate)
            let known = Set(legacy.items.map(\.id))
            let currencies = Set(legacy.items.flatMap(\.lines).map(\.unitPrice.currency))
            if let currency = currencies.first, currencies.count == 1 {
                new.items.removeAll { order in
                    !known.contains(order.id) && order.lines.contains { $0.unitPrice.currency != currency }
                }
                new.omitsItems = new.items.count < candidate.items.count
            }
            return trimmed(Front(legacy), new)
        }
    }
}

/// The beginning of a list.
private struct Front<Item: Sendable>: Sendable {
    var items: [Item]
    /// Whether there are more items; nil if that is not compared.
    var hasMore: Bool?
    /// Whether items were left out that only one side can have.
    var omitsItems = false

    init(_ page: Page<Item>) {
        items = page.items
        hasMore = page.next != nil
    }

    /// Keeps the first `count` items; the rest is not compared.
    mutating func cut(to count: Int) {
        items = Array(items.prefix(count))
        hasMore = nil
    }
}

/// Returns both fronts, cut to what both sides returned.
private func trimmed<Item>(
    _ legacy: Front<Item>,
    _ candidate: Front<Item>
) -> (legacy: Front<Item>, candidate: Front<Item>) {
    let shorter = legacy.items.count < candidate.items.count ? legacy : candidate
    guard legacy.items.count != candidate.items.count, shorter.hasMore == true else { return (legacy, candidate) }
    var (legacy, candidate) = (legacy, candidate)
    legacy.cut(to: shorter.items.count)
    candidate.cut(to: shorter.items.count)
    return (legacy, candidate)
}
