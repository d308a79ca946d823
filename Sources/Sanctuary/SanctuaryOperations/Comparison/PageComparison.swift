public import Cofferdam  // comparators are the kit's values
public import SanctuaryDomain  // what is compared

// Only first pages are compared. A vendor's cap is not visible (LIST-07): of two pages of which one ends earlier and goes on,
// as many items are compared as both have.

extension Comparator {
    /// A first page, item by item.
    public static func pages<Item>(of items: Comparator<Item>) -> Self where Value == Page<Item> {
        Self().aligned(.fronts(of: items)) { trimmed(Front($0), Front($1)) }
    }

    fileprivate static func fronts<Item>(of items: Comparator<Item>) -> Self where Value == Front<Item> {
        Self().list("items", \.items, items).field("next", \.goesOn) { $0 == true ? "more" : "the last page" }
            .field("leftOut", \.leavesOut) { $0 ? "some" : "none" }
    }
}

extension Comparator<Page<Message>> {
    /// A first page of messages, whatever their order: V1's is by the senders' clocks (D22). Of a longer list, those that stand
    /// on both sides' first page.
    public static var messagePages: Self {
        Self().aligned(.fronts(of: .messages)) { legacy, candidate in
            var (legacy, candidate) = trimmed(Front(legacy), Front(candidate))
            if legacy.goesOn != false || candidate.goesOn != false {
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
    /// A first page of orders. Those that V1 cannot have, because they are not in the one currency that it knows (D17), are told
    /// of as "leftOut".
    public static var orderPages: Self {
        Self().aligned(.fronts(of: .orders)) { legacy, candidate in
            var new = Front(candidate)
            let known = Set(legacy.items.map(\.id))
            let currencies = Set(legacy.items.flatMap(\.lines).map(\.unitPrice.currency))
            if let currency = currencies.first, currencies.count == 1 {
                new.items.removeAll { order in
                    !known.contains(order.id) && order.lines.contains { $0.unitPrice.currency != currency }
                }
                new.leavesOut = new.items.count < candidate.items.count
            }
            return trimmed(Front(legacy), new)
        }
    }
}

/// The beginning of a list.
private struct Front<Item: Sendable>: Sendable {
    var items: [Item]
    /// Whether there is more; nil where that is not compared.
    var goesOn: Bool?
    /// Whether items stand aside that only one side can have.
    var leavesOut = false

    init(_ page: Page<Item>) {
        items = page.items
        goesOn = page.next != nil
    }

    /// The first items; what follows is not looked at.
    mutating func cut(to count: Int) {
        items = Array(items.prefix(count))
        goesOn = nil
    }
}

/// Both fronts, as far as both sides were to tell.
private func trimmed<Item>(
    _ legacy: Front<Item>,
    _ candidate: Front<Item>
) -> (legacy: Front<Item>, candidate: Front<Item>) {
    let shorter = legacy.items.count < candidate.items.count ? legacy : candidate
    guard legacy.items.count != candidate.items.count, shorter.goesOn == true else { return (legacy, candidate) }
    var (legacy, candidate) = (legacy, candidate)
    legacy.cut(to: shorter.items.count)
    candidate.cut(to: shorter.items.count)
    return (legacy, candidate)
}
