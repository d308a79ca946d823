import Cofferdam
import SanctuaryDomain

extension Paging {
    /// Routes pages of the ports: a cursor returns to the side that issued it.
    static func pages<Item>(
        cursor: @escaping @Sendable (Request) -> String?,
        setCursor: @escaping @Sendable (inout Request, String) -> Void
    ) -> Self where Page == SanctuaryDomain.Page<Item> {
        Paging(cursor: cursor, next: { $0.next?.rawValue }, setCursor: setCursor) {
            $0.next = Cursor($1)
        } invalid: { cursor in
            SanctuaryError(.invalidCursor, "the SDK that gave it no longer answers", subject: cursor)
        }
    }
}
