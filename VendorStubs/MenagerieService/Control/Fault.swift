/// What the service does in the place of a proper answer, or before it.
///
/// Beware with faults that close a connection before any answer: libcurl repeats a call by itself, a POST too, if a
/// connection it has used before closes so. The service counts both calls, and the second is out of the fault's reach.
public enum Fault: Sendable, Hashable {
    // MARK: Another answer

    /// That status, with an error body as the request's API has it. v1 has no 403: it answers 401 with code 4013.
    ///
    /// `retryAfter` is in the header `Retry-After` (v1) or in the body's `retryAt` (v2).
    case status(Int, retryAfter: Duration? = nil)
    /// That status in plain text, as of a gateway that stands before the service and knows neither API.
    case gateway(Int, retryAfter: RetryAfter? = nil)
    /// 200 with an HTML page.
    case html
    /// 200, said to be JSON, but none.
    case garbage
    /// 307 to another address; nothing is done.
    case redirect(to: String)
    /// 307 to the same address; nothing is done. It takes many `times` to be a loop.
    case redirectLoop
    /// 200, said to be JSON in gzip: so many zero bytes, in less than a hundredth of it.
    case gzipBomb(bytes: Int)

    // MARK: The proper answer, spoilt

    /// The members of the JSON that are meant, at any depth, are spoilt. An answer without JSON stays as it is.
    case altered(Corruption)
    /// The second half is missing when the connection closes.
    case truncated
    /// After so many bytes of the body, or of a stream, the connection ends.
    case cut(afterBytes: Int, Ending = .close)
    /// `Content-Length` is so much too large, or too small if negative; then the connection closes.
    case wrongContentLength(by: Int)
    /// In chunks, and the second one's size is no number.
    case malformedChunk

    // MARK: No answer

    /// The connection is reset without an answer, and nothing is done.
    case reset
    /// The connection is closed in order but without an answer, and nothing is done.
    case emptyReply
    /// What was asked is done, but the connection closes without an answer.
    case commitThenCut

    // MARK: The proper answer, late

    /// A black hole: no answer until ``SandboxControl/releaseHeld()`` or a reset, or until the client goes away; then the
    /// proper one. A stream of events is opened, but silent.
    case hold
    /// The proper answer's head and so many bytes of its body, or of a stream; the rest as of ``hold``.
    case stall(afterBytes: Int)
    /// The proper answer after that time: of the machine's clock, or of the service's if that is moved on.
    case delay(Duration)
    /// A delay that is drawn anew for each call, and follows from the seed; ten minutes at most.
    case logNormalDelay(median: Duration, sigma: Double)
    /// Byte by byte, with a pause after each.
    case dribble(pause: Duration = .zero)
    /// The body's end is the connection's end, and that comes so much later: as a ``delay(_:)``.
    case slowClose(Duration)
}

extension Fault {
    /// How a connection ends.
    public enum Ending: String, Sendable, Hashable, CaseIterable {
        /// In order.
        case close
        /// By a TCP reset.
        case reset
    }

    /// What the header `Retry-After` holds.
    public enum RetryAfter: Sendable, Hashable {
        case seconds(Int)
        /// The HTTP date so much after now, by the service's clock.
        case date(after: Duration)
        /// As it is, so that it may be nonsense.
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
