/// How one call to a vendor goes wrong, in terms that any stand-in for a vendor can act out.
public enum VendorFault: Sendable, Hashable, CustomStringConvertible {
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
    /// The connection is closed in order, without an answer.
    case emptyReply
    /// The answer is in chunks, and a chunk's size is no number.
    case malformedChunk
    /// The answer's declared length is so much too large, or too small if negative.
    case wrongLength(by: Int)
    /// A redirection to the same address, each time.
    case redirectLoop
    /// What was asked is done, but the connection is lost before the answer.
    case appliedThenReset
    /// No answer until it is released, then the right one.
    case hold
    /// Of the answer, the head and so many bytes of the body; the rest once it is released.
    case stall(afterBytes: Int)
    /// The right answer, byte by byte.
    case trickle

    public var description: String {
        switch self {
        case .status(let status, let retryAfter): "status \(status)" + (retryAfter.map { ", retry after \($0)" } ?? "")
        case .html: "HTML"
        case .garbage: "garbage"
        case .truncated: "truncated answer"
        case .reset: "connection reset"
        case .emptyReply: "empty reply"
        case .malformedChunk: "malformed chunk"
        case .wrongLength(let difference): "length wrong by \(difference)"
        case .redirectLoop: "redirect loop"
        case .appliedThenReset: "connection reset after the call was carried out"
        case .hold: "no answer"
        case .stall(let count): "no more than \(count) bytes of the answer"
        case .trickle: "one byte at a time"
        }
    }
}
