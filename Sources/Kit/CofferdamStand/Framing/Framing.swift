public import CofferdamContracts  // the faults that a framing can act out

/// How a protocol cuts its two byte streams into requests and replies, and what a request is called.
///
/// ``HTTPFraming``, ``RESPFraming`` and ``LineFraming`` come with the kit. For another protocol, write the two parsers and
/// ``operation(of:)``; the rest has defaults.
public protocol Framing: Sendable {
    /// The protocol's name, as errors show it: "HTTP/1.1".
    var name: String { get }

    /// Returns a parser for the next request of a connection.
    func requestParser() -> any FrameParser

    /// Returns a parser for the reply to a request.
    ///
    /// - Parameter request: the request's bytes, or `nil` for what a server sends without a request: a greeting, a push.
    func replyParser(to request: [UInt8]?) -> any FrameParser

    /// Returns the name under which rules and counts know a request: "GET", "GET /animals/{id}".
    ///
    /// - Throws: if the bytes are no request; the proxy then cuts the connection.
    func operation(of request: [UInt8]) throws -> String

    /// Returns what the proxy does to act out a vendor's fault, or `nil` if the protocol has no such thing.
    ///
    /// The default knows the faults of any connection: reset, empty reply, truncated, applied then reset, hold, stall
    /// and trickle. A framing of your own calls ``connectionAction(for:)`` for those it does not handle itself.
    func action(for fault: VendorFault) -> ProxyAction?
}

extension Framing {
    /// Only the faults of connections, by default.
    public func action(for fault: VendorFault) -> ProxyAction? { connectionAction(for: fault) }

    /// Returns what acts out a fault in any protocol, or `nil` if that depends on the protocol.
    public func connectionAction(for fault: VendorFault) -> ProxyAction? {
        switch fault {
        case .reset: .cut(.beforeForwarding, by: .reset)
        case .emptyReply: .cut(.beforeForwarding, by: .close)
        case .appliedThenReset: .cut(.afterForwarding, by: .reset)
        case .truncated: .rewriteReply(then: .close) { _, reply in Array(reply.prefix(reply.count / 2)) }
        case .hold: .hold
        case .stall(let count): .stall(afterBytes: count)
        case .trickle: .split(intoPiecesOf: 1)
        default: nil
        }
    }
}

/// Reads one frame, a request or a reply, as its bytes arrive.
public protocol FrameParser {
    /// Reads the next bytes; called until the frame ends.
    ///
    /// - Parameter bytes: at least one byte; where the frame ends, the next one may follow.
    /// - Returns: how many of `bytes` belong to the frame if it ends in them; `nil` if all do and more must come.
    /// - Throws: if the bytes break the protocol; the proxy then cuts the connection and records a problem.
    mutating func parse(_ bytes: ArraySlice<UInt8>) throws -> Int?

    /// How many bytes come before the body; `nil` until that is known. 0 for a protocol without heads.
    var headLength: Int? { get }
}

extension FrameParser {
    /// 0 by default: a message has no head.
    public var headLength: Int? { 0 }
}

/// Bytes that break the protocol.
public struct MalformedFrame: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with them.
    public let description: String

    /// - Parameter description: what is wrong: "a chunk's size is no number".
    public init(_ description: String) { self.description = description }
}
