/// What a ``TestProxy`` does with a request or with its reply.
public enum ProxyAction: Sendable {
    /// How a connection ends.
    public enum Ending: Sendable, Hashable {
        /// In order.
        case close
        /// By a TCP reset.
        case reset
    }

    /// When a connection is cut.
    public enum CutPoint: Sendable, Hashable {
        /// The server never sees the request.
        case beforeForwarding
        /// The server has answered, so it has carried the request out; the answer is lost.
        case afterForwarding
        /// So many bytes of the reply have reached the client.
        case afterReplyBytes(Int)
    }

    /// From where bytes of a reply are counted.
    public enum ReplyPart: Sendable, Hashable {
        /// From its first byte.
        case whole
        /// From the first byte after its head, in a protocol that has heads.
        case body
    }

    /// Keeps the request from the server until ``TestProxy/release(_:)``; those behind it on the connection wait as well.
    case hold
    /// Keeps the request from the server for that time by the proxy's clock.
    case delay(Duration)
    /// Answers in place of the server, which never sees the request; the closure gets the request's bytes.
    ///
    /// The error that it throws is recorded as a problem, and the connection is cut.
    case answer(@Sendable (_ request: [UInt8]) throws -> [UInt8])
    /// Cuts the connection, once what was asked before on it is answered.
    case cut(CutPoint, by: Ending)
    /// Passes the reply on in pieces of so many bytes, each written on its own, with a pause by the proxy's clock between
    /// them. Without a pause, the client's system may join pieces that the client has not read yet.
    case split(intoPiecesOf: Int, pause: Duration = .zero)
    /// Passes on so many bytes of the reply, and the rest after ``TestProxy/release(_:)``. A shorter reply is not held.
    case stall(afterBytes: Int, of: ReplyPart = .whole)
    /// Passes on what the closure makes of the request and the whole reply; then the connection goes on, or ends.
    ///
    /// The error that it throws is recorded as a problem, and the connection is cut.
    case rewriteReply(
        then: Ending? = nil,
        @Sendable (_ request: [UInt8], _ reply: [UInt8]) throws -> [UInt8]
    )
    /// Passes the reply on after the reply to the connection's next request, or at ``TestProxy/release(_:)``: a fault of
    /// pipelined protocols.
    case swapWithNext

    /// Answers with these bytes in place of the server, which never sees the request.
    public static func answer(_ bytes: [UInt8]) -> Self { .answer { _ in bytes } }

    /// Has the server carry the request out, and keeps the whole reply until ``TestProxy/release(_:)``.
    public static var holdReply: Self { .stall(afterBytes: 0) }

    /// Has the server carry the request out, and passes on these bytes in place of its reply.
    public static func replaceReply(by bytes: [UInt8]) -> Self { .rewriteReply { _, _ in bytes } }
}

/// How much a ``TestProxy`` keeps in memory.
public struct ProxyLimits: Sendable, Hashable {
    /// The longest request, in bytes; a longer one is a problem, and its connection is cut.
    public var requestBytes = 16 << 20
    /// The most bytes of requests that may wait on one connection.
    public var queuedBytes = 64 << 20
    /// The most bytes of one reply that may wait for a release, a rewriting or an earlier reply.
    public var replyBytes = 64 << 20
    /// How many of the last requests ``TestProxy/requests(of:)`` keeps.
    public var recordedRequests = 1_000
    /// How many bytes of each of them.
    public var recordedBytes = 16_384

    /// The values that suit most tests.
    public static var defaults: Self { Self() }

    /// The values that suit most tests, changed.
    public static func defaults(_ change: (inout Self) -> Void) -> Self {
        var limits = Self()
        change(&limits)
        return limits
    }
}

/// A request that has arrived at a ``TestProxy``.
public struct ProxiedRequest: Sendable, Hashable {
    /// Its operation's name, by the framing.
    public let operation: String
    /// Which of the proxy's connections it came on, counted from 1.
    public let connection: Int
    /// Its first bytes, as many as ``ProxyLimits/recordedBytes`` allows.
    public let bytes: [UInt8]
    /// How long it was.
    public let length: Int
}

/// Why a ``TestProxy`` could not do what it was asked for.
public enum ProxyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The proxy was closed, before or while it was waited for.
    case closed
    /// The framing has no way to act that fault out.
    case unsupported(fault: String, framing: String)

    /// What failed, for people.
    public var description: String {
        switch self {
        case .closed: "the test proxy is closed"
        case .unsupported(let fault, let framing): "a proxy for \(framing) cannot act out the fault \"\(fault)\""
        }
    }
}
