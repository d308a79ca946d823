#if Server
import NIOCore
import NIOHTTP1

/// What HTTP/1.1 asks of a server beyond its routes: no body in an answer to `HEAD`, and one `Host` in a request.
final class RequestFraming: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Whether each request that waits for its answer is `HEAD`.
    private var heads = CircularBuffer<Bool>()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = Self.unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        heads.append(head.method == .HEAD)
        // The responder refuses a request without an authority (RFC 9112, 3.2).
        let hosts = head.headers["Host"]
        if hosts.count > 1 || !hosts.allSatisfy(Self.isHost) {
            head.headers.remove(name: "Host")
        } else if hosts.isEmpty, head.version == .http1_0 {
            head.headers.add(name: "Host", value: "")
        }
        context.fireChannelRead(Self.wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = Self.unwrapOutboundIn(data)
        let isHead = heads.first ?? false
        if case .end = part { _ = heads.popFirst() }
        switch part {
        case .body where isHead, .end where isHead:
            // An empty body writes nothing, but keeps the order of the promises. The end would write the mark of an
            // answer in chunks.
            let empty = context.channel.allocator.buffer(capacity: 0)
            context.write(Self.wrapOutboundOut(.body(.byteBuffer(empty))), promise: promise)
        default: context.write(data, promise: promise)
        }
    }

    /// Whether it consists of characters of a host and a port (RFC 3986, 3.2.2). It may be empty.
    private static func isHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._~%!$&'()*+,;=:[]".utf8.contains(byte)
            }
        }
    }
}
#endif
