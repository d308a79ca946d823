/// Where the cursors of a list are: in the request for a page, and in the page that leads to the next one.
///
/// A cursor belongs to the side that issued it, so a walk through the pages ends on the side where it began, even if
/// the stage changes meanwhile. The legacy side's cursors are unchanged and the candidate's are marked, so cursors that
/// an app has kept from before the upgrade still work.
///
/// Where both sides understand the same cursors, such as offsets or ids, leave `paging` out of the operation. Its pages are then
/// reads like any other: each is answered by the unit's side, and falls back where reads do.
///
/// ```swift
/// Paging(
///     cursor: { $0.cursor?.rawValue },
///     next: { $0.next?.rawValue },
///     setCursor: { $0.cursor = Cursor($1) },
///     setNext: { $0.next = Cursor($1) },
///     invalid: { ShopError.invalidCursor($0) }
/// )
/// ```
public struct Paging<Request: Sendable, Page: Sendable>: Sendable {
    package let cursor: @Sendable (Request) -> String?
    package let setCursor: @Sendable (inout Request, String) -> Void
    package let next: @Sendable (Page) -> String?
    package let setNext: @Sendable (inout Page, String) -> Void
    /// The port's error for a cursor that no side accepts any more.
    package let invalid: @Sendable (_ cursor: String) -> any Error

    /// - Parameters:
    ///   - cursor: the cursor of a request; nil asks for the first page.
    ///   - next: the cursor to the next page; nil on the last one.
    ///   - setCursor: replaces the cursor of a request.
    ///   - setNext: replaces the cursor to the next page.
    ///   - invalid: the port's error for a cursor whose side is closed.
    public init(
        cursor: @escaping @Sendable (Request) -> String?,
        next: @escaping @Sendable (Page) -> String?,
        setCursor: @escaping @Sendable (inout Request, String) -> Void,
        setNext: @escaping @Sendable (inout Page, String) -> Void,
        invalid: @escaping @Sendable (_ cursor: String) -> any Error
    ) {
        self.cursor = cursor
        self.setCursor = setCursor
        self.next = next
        self.setNext = setNext
        self.invalid = invalid
    }
}
