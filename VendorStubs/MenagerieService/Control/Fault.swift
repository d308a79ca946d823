#if Sandbox
/// A fault that the service shows instead of, or before, a proper answer.
///
/// Be careful with faults that close a connection without an answer: libcurl repeats a call, even a POST, if a reused
/// connection closes this way. The service counts both calls, and the fault does not apply to the second.
public enum Fault: Sendable, Hashable {
    // MARK: Another answer

    /// The status, with an error body in the format of the request's API. v1 has no 403: it answers 401 with code 4013.
    ///
    /// `retryAfter` is sent in the header `Retry-After` (v1) or in the body's `retryAt` (v2).
    case status(Int, retryAfter: Duration? = nil)
    /// The status in plain text, as from a gateway in front of the service that knows neither API.
    case gateway(Int, retryAfter: RetryAfter? = nil)
    /// 200 with an HTML page.
    case html
    /// 200, declared as JSON, with an invalid body.
    case garbage
    /// 307 to another address; the call is not carried out.
    case redirect(to: String)
    /// 307 to the same address; the call is not carried out. It takes many `times` to form a loop.
    case redirectLoop
    /// 200, declared as JSON in gzip: the given number of zero bytes, compressed to less than a hundredth.
    case gzipBomb(bytes: Int)

    // MARK: The proper answer, corrupted

    /// Corrupts the matching members of the JSON, at any depth. An answer without JSON is unchanged.
    case altered(Corruption)
    /// The connection closes after the first half.
    case truncated
    /// The connection ends after that many bytes of the body, or of a stream.
    case cut(afterBytes: Int, Ending = .close)
    /// `Content-Length` is too large by that amount, or too small if negative; then the connection closes.
    case wrongContentLength(by: Int)
    /// Sent in chunks, the second of which has an invalid size.
    case malformedChunk
    /// The body is encoded, if the client accepts the coding.
    case encoded(ContentCoding)
    /// Sent in chunks, the last of which is empty.
    case chunked
    /// Two `Content-Length` fields, of which the second is right.
    case conflictingLengths

    // MARK: No answer

    /// The connection is reset without an answer, and the call is not carried out.
    case reset
    /// The connection is closed normally without an answer, and the call is not carried out.
    case emptyReply
    /// The call is carried out, but the connection closes without an answer.
    case commitThenCut

    // MARK: The proper answer, late

    /// No answer until ``SandboxControl/releaseHeld()``, a reset, or the client disconnects; then the proper one. A
    /// stream of events is opened, but stays silent.
    case hold
    /// The head and that many bytes of the body; the rest as after a ``hold``.
    case stall(afterBytes: Int)
    /// The proper answer after that time, by the machine's clock or by the service's if that is advanced.
    case delay(Duration)
    /// A random delay for each call, determined by the seed; ten minutes at most.
    case logNormalDelay(median: Duration, sigma: Double)
    /// The answer byte by byte, with a pause after each.
    case dribble(pause: Duration = .zero)
    /// The body ends with the connection, which closes after the given time, as for ``delay(_:)``.
    case slowClose(Duration)
}

extension Fault {
    /// How a connection ends.
    public enum Ending: String, Sendable, Hashable, CaseIterable {
        /// A normal close.
        case close
        /// A TCP reset.
        case reset
    }

    /// The value of the header `Retry-After`.
    public enum RetryAfter: Sendable, Hashable {
        case seconds(Int)
        /// An HTTP date that long after now, by the service's clock.
        case date(after: Duration)
        /// The text as it is, even if invalid.
        case text(String)

        func header(at now: Timestamp) -> String {
            switch self {
            case .seconds(let seconds): String(seconds)
            case .date(let duration): (now + duration).httpDate
            case .text(let text): text
            }
        }
    }
}
#endif
