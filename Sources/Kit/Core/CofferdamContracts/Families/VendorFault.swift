/// A way in which one call to a vendor goes wrong, in terms that any stand-in for a vendor can simulate.
public enum VendorFault: Sendable, Hashable, CustomStringConvertible {
    /// An error answer in the vendor's own form, with its way of saying when to retry.
    case status(Int, retryAfter: Duration? = nil)
    /// Status 200 with an HTML page.
    case html
    /// Status 200, the right media type, and bytes that are not of that type.
    case garbage
    /// The answer ends before the length that it declares.
    case truncated
    /// The connection is reset before the answer.
    case reset
    /// The connection is closed properly, without an answer.
    case emptyReply
    /// The answer is in chunks, and a chunk's size is not a number.
    case malformedChunk
    /// The answer's declared length is this many bytes too large, or too small if negative.
    case wrongLength(by: Int)
    /// A redirection to the same address, every time.
    case redirectLoop
    /// The request is carried out, but the connection is lost before the answer.
    case appliedThenReset
    /// No answer until it is released, then the right one.
    case hold
    /// The answer's head and this many bytes of its body; the rest once it is released.
    case stall(afterBytes: Int)
    /// The right answer, byte by byte.
    case trickle
    /// The right answer in chunks, the last of them empty.
    case chunked
    /// The right answer, ended by closing the connection.
    case withoutLength
    /// An answer that declares two lengths, of which one is right.
    case conflictingLengths
    /// The right answer in this content coding, if the caller has said that it can decode it.
    case encoded(ContentCoding)
    /// A fault that only this vendor has, by the name that its harness uses: "READONLY", "subscription refused".
    case vendorSpecific(String)

    /// Whether only a vendor that speaks HTTP can have this fault.
    public var isHTTP: Bool {
        switch self {
        case .status, .html, .malformedChunk, .redirectLoop, .chunked, .withoutLength, .conflictingLengths, .encoded:
            true
        case .garbage, .truncated, .reset, .emptyReply, .wrongLength, .appliedThenReset, .hold, .stall, .trickle,
            .vendorSpecific:
            false
        }
    }

    /// The fault as findings name it.
    public var description: String {
        switch self {
        case .status(let status, let retryAfter):
            "status \(status)" + (retryAfter.map { ", retry after \(max(.zero, $0))" } ?? "")
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
        case .chunked: "an answer in chunks"
        case .withoutLength: "an answer without a length"
        case .conflictingLengths: "an answer with two lengths"
        case .encoded(let coding): "an answer in \(coding.rawValue)"
        case .vendorSpecific(let name): name
        }
    }
}

/// A content coding, by its name in HTTP.
public enum ContentCoding: String, Sendable, Hashable, CaseIterable {
    case gzip, deflate
    case brotli = "br"
}
