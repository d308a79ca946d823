/// What a ``TestProxy`` does with a request or with its reply.
public enum ProxyAction: Sendable {
    /// How a connection ends.
    public enum Ending: Sendable, Hashable {
        /// By an orderly close.
        case close
        /// By a TCP reset.
        case reset
    }

    /// When a connection is cut.
    public enum CutPoint: Sendable, Hashable {
        /// The server never sees the request.
        case beforeForwarding
        /// The server has answered, so it has executed the request; the answer is lost.
        case afterForwarding
        /// That many bytes of the reply have reached the client.
        case afterReplyBytes(Int)
    }

    /// The position from which bytes of a reply are counted.
    public enum ReplyPart: Sendable, Hashable {
        /// From its first byte.
        case whole
        /// From the first byte after its head, in a protocol that has heads.
        case body
    }

    /// Holds the request back until ``TestProxy/release(_:)``; later requests on the connection wait as well.
    case hold
    /// Holds the request back for that long, by the proxy's clock.
    case delay(Duration)
    /// Answers instead of the server, which never sees the request; the closure receives the request's bytes.
    ///
    /// An error that it throws is recorded as a problem, and the connection is cut.
    case answer(@Sendable (_ request: [UInt8]) throws -> [UInt8])
    /// Cuts the connection once its earlier requests are answered.
    case cut(CutPoint, by: Ending)
    /// Passes the reply on in pieces of that many bytes, each written separately, with a pause by the proxy's clock
    /// between them. Without a pause, the client's system may join pieces that the client has not read yet.
    case split(intoPiecesOf: Int, pause: Duration = .zero)
    /// Passes on that many bytes of the reply, and the rest after ``TestProxy/release(_:)``. A reply that is no longer
    /// than that is not held.
    case stall(afterBytes: Int, of: ReplyPart = .whole)
    /// Passes on what the closure returns for the request and the whole reply; then the connection stays open, or ends.
    ///
    /// An error that it throws is recorded as a problem, and the connection is cut.
    case rewriteReply(
        then: Ending? = nil,
        @Sendable (_ request: [UInt8], _ reply: [UInt8]) throws -> [UInt8]
    )
    /// Passes the reply on after the reply to the connection's next request, or at ``TestProxy/release(_:)``: a fault of
    /// pipelined protocols.
    case swapWithNext

    /// Answers with these bytes instead of the server, which never sees the request.
    public static func answer(_ bytes: [UInt8]) -> Self { .answer { _ in bytes } }

    /// Lets the server execute the request, and holds the whole reply until ``TestProxy/release(_:)``.
    public static var holdReply: Self { .stall(afterBytes: 0) }

    /// Lets the server execute the request, and passes on these bytes instead of its reply.
    public static func replaceReply(by bytes: [UInt8]) -> Self { .rewriteReply { _, _ in bytes } }
}

/// Which of a ``TestProxy``'s open connections are meant.
public enum ProxyConnections: Sendable, Hashable {
    /// All of them.
    case all
    /// Those on which nothing is under way, as in a pool that waits for work.
    case idle
    /// Those on which the latest answer of the server, even if it has only begun, is to that operation: its subscriptions.
    case serving(String)
}

/// Limits on what a ``TestProxy`` keeps in memory.
public struct ProxyLimits: Sendable, Hashable {
    /// The maximum size of a request, in bytes. A larger one is recorded as a problem, and its connection is cut.
    public var requestBytes = 16 << 20
    /// The maximum size of all requests that wait on one connection, in bytes.
    public var queuedBytes = 64 << 20
    /// The maximum number of bytes of one reply that may wait for a release, a rewrite or an earlier reply.
    public var replyBytes = 64 << 20
    /// How many of the most recent requests ``TestProxy/requests(of:)`` keeps.
    public var recordedRequests = 1_000
    /// How many bytes it keeps of each request.
    public var recordedBytes = 16_384

    /// Limits that suit most tests.
    public static var defaults: Self { Self() }

    /// The default limits with changes.
    public static func defaults(_ change: (inout Self) -> Void) -> Self {
        var limits = Self()
        change(&limits)
        return limits
    }
}

/// A request that has arrived at a ``TestProxy``.
public struct ProxiedRequest: Sendable, Hashable {
    /// The name of the request's operation, from the framing.
    public let operation: String
    /// The number of the proxy's connection on which it arrived, from 1.
    package let connection: Int
    /// The request's first bytes, up to ``ProxyLimits/recordedBytes``.
    public let bytes: [UInt8]
    /// The request's size, in bytes.
    package let length: Int
}

/// An error of a ``TestProxy``.
public enum ProxyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The proxy was closed, before or during a wait.
    case closed
    /// The framing cannot act out that fault.
    case unsupported(fault: String, framing: String)
    /// A wait for this many problems would never end, because a proxy keeps no more than `limit`.
    case tooManyProblems(Int, limit: Int)

    /// A description for humans.
    public var description: String {
        switch self {
        case .closed: "the test proxy is closed"
        case .unsupported(let fault, let framing): "a proxy for \(framing) cannot act out the fault \"\(fault)\""
        case .tooManyProblems(let count, let limit):
            "cannot wait for \(count) problems: a test proxy keeps the first \(limit)"
        }
    }
}
