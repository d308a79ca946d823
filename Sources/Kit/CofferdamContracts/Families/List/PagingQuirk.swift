/// How a vendor may page and still be within its rights, or just beyond them.
public enum PagingQuirk: String, Sendable, Hashable {
    /// The second page of a walk is empty and has a cursor to go on.
    case emptyPageWithCursor
    /// The first cursor of a walk is the empty text.
    case emptyStringCursor
    /// From the second page on, each page gives the cursor that it was asked with.
    case repeatedCursor
}
