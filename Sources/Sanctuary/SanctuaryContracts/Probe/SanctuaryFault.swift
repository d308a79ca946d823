/// How one call goes wrong.
public enum SanctuaryFault: Sendable, Hashable, CustomStringConvertible {
    /// An error answer in the vendor's own form, with its way to say when to try again.
    case status(Int, retryAfter: Duration? = nil)
    /// Status 200 with an HTML page.
    case html
    /// Status 200, the right media type, and bytes that are no such thing.
    case garbage
    /// The answer ends before the length that it declares.
    case truncated
    /// The connection is reset before the answer.
    case reset
    /// No answer until it is released, then the right one.
    case hold

    public var description: String {
        switch self {
        case .status(let status, let retryAfter): "status \(status)" + (retryAfter.map { ", retry after \($0)" } ?? "")
        case .html: "HTML"
        case .garbage: "garbage"
        case .truncated: "truncated answer"
        case .reset: "connection reset"
        case .hold: "no answer"
        }
    }
}

/// How the vendor's payload of one animal is odd.
public enum AnimalCorruption: Sendable, Hashable {
    /// It has a field that nobody knows.
    case extraField
    /// It lacks a field that every animal has, by its name in the vendor's payload: "name".
    case missing(field: String)
    /// Its group is one that no app has heard of.
    case unknownGroup(String)
}

/// How a vendor may page and still be within its rights, or just beyond them.
public enum PagingQuirk: String, Sendable, Hashable {
    /// The second page of a walk is empty and has a cursor to go on.
    case emptyPageWithCursor
    /// The first cursor of a walk is the empty text.
    case emptyStringCursor
    /// From the second page on, each page gives the cursor that it was asked with.
    case repeatedCursor
}
