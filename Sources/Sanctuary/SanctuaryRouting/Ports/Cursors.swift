import CofferdamUpgrade
import SanctuaryDomain

extension CarriedSide {
    /// The way of pages: a cursor leads back to the side that gave it.
    static func pages<Item>(_ cursor: any WritableKeyPath<Input, String?> & Sendable) -> Self
    where Output == Page<Item> {
        CarriedSide(cursor: cursor, next: \.nextText) { cursor in
            SanctuaryError(.invalidCursor, "the SDK that gave it no longer answers", subject: cursor)
        }
    }
}

extension PageRequest {
    var cursorText: String? {
        get { cursor?.rawValue }
        set { cursor = newValue.map { Cursor($0) } }
    }
}

extension Page {
    var nextText: String? {
        get { next?.rawValue }
        set { next = newValue.map { Cursor($0) } }
    }
}
