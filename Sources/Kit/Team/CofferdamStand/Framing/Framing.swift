public import CofferdamContracts  // the faults that a framing can act out

/// Divides a protocol's two byte streams into requests and replies, and names the requests.
///
/// ``HTTPFraming``, ``RESPFraming`` and ``LineFraming`` come with the kit. For another protocol, write the two parsers and
/// ``operation(of:)``; the rest has defaults.
///
/// Each connection uses a copy of its own. In a protocol in which a request means something only after what came before, as a
/// prepared statement's execution does, a framing keeps that in properties, and its functions are `mutating`:
///
/// ```swift
/// struct PostgresFraming: Framing {
///     private var hasStarted = false
///     private var statements: [String: String] = [:]
///     mutating func requestParser() -> any FrameParser { hasStarted ? Message() : StartUp() }
///     mutating func operation(of request: [UInt8]) throws -> String { … }
/// }
/// ```
public protocol Framing: Sendable {
    /// The protocol's name, as errors show it: "HTTP/1.1".
    var name: String { get }

    /// Returns a parser for the next request of a connection; called after ``operation(of:)`` of the one before.
    mutating func requestParser() -> any FrameParser

    /// Returns a parser for the reply to a request.
    ///
    /// Called when the reply's first bytes arrive. Later requests may have been read by then.
    ///
    /// - Parameter request: the request's bytes; `nil` for data that a server sends without a request, such as a
    ///   greeting or a push.
    mutating func replyParser(to request: [UInt8]?) -> any FrameParser

    /// Returns a request's name for rules and counts: "GET", "GET /animals/{id}". Called once for each request, in order.
    ///
    /// - Throws: if the bytes are not a request; the proxy then cuts the connection.
    mutating func operation(of request: [UInt8]) throws -> String

    /// Returns the action by which the proxy acts out a vendor's fault; `nil` if the protocol cannot express the fault.
    ///
    /// The default handles the faults of any connection: reset, empty reply, truncated, applied then reset, hold, stall
    /// and trickle. Your own framing can call ``connectionAction(for:)`` for the faults that it does not handle itself.
    func action(for fault: VendorFault) -> ProxyAction?
}

extension Framing {
    /// By default, handles only the faults of connections.
    public func action(for fault: VendorFault) -> ProxyAction? { connectionAction(for: fault) }

    /// Returns the action for a fault that is the same in any protocol; `nil` if it depends on the protocol.
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
    /// - Parameter bytes: at least one byte; bytes after the frame's end belong to the next frame.
    /// - Returns: how many of `bytes` belong to the frame if it ends in them; `nil` if all do and more must come.
    /// - Throws: if the bytes break the protocol; the proxy then cuts the connection and records a problem.
    mutating func parse(_ bytes: ArraySlice<UInt8>) throws -> Int?

    /// The number of bytes before the body; `nil` until it is known, 0 for a protocol without heads.
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

    /// - Parameter description: what is wrong: "a chunk's size is not a number".
    public init(_ description: String) { self.description = description }
}
