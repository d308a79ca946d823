/// An odd way of paging that is just within a vendor's rights, or just beyond them.
public enum PagingQuirk: String, Sendable, Hashable {
    /// The second page of a walk is empty but has a cursor to continue.
    case emptyPageWithCursor
    /// The first cursor of a walk is the empty text.
    case emptyStringCursor
    /// From the second page on, each page returns the cursor with which it was requested.
    case repeatedCursor
}
