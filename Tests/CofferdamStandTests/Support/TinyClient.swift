#if TestStand
import NIOCore
import NIOPosix

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A client on loopback that shows what arrives, piece by piece, and how it ends.
struct TinyClient: Sendable {
    enum Event: Sendable, Hashable {
        case bytes(String)
        case closed
        case reset
    }

    private let channel: any Channel
    private let events: AsyncStream<Event>

    init(port: Int) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(continuation))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        self.events = events
    }

    func send(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)) }
    func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }
    func close() async throws { try await channel.close() }

    /// Waits for the next event.
    func next() async -> Event? {
        var iterator = events.makeAsyncIterator()
        return await iterator.next()
    }

    /// Reads that many characters, or up to the connection's end.
    func read(_ count: Int) async -> String {
        var text = ""
        while text.utf8.count < count, case .bytes(let more) = await next() { text += more }
        return text
    }

    /// Reads as many characters as `expected` has.
    func read(as expected: String) async -> String { await read(expected.utf8.count) }

    /// Reads to the connection's end.
    func readToEnd() async -> Heard {
        var text = ""
        while let event = await next() {
            guard case .bytes(let more) = event else { return Heard(text, event) }
            text += more
        }
        return Heard(text, nil)
    }

    /// Everything that a server sent, and how the connection ended.
    struct Heard: Hashable {
        var text: String
        var end: Event?

        init(_ text: String, _ end: Event?) { (self.text, self.end) = (text, end) }
    }

    /// Sends a request and reads as many characters as `answer` has.
    func ask(_ request: String, for answer: String) async throws -> String {
        try await send(request)
        return await read(as: answer)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let events: AsyncStream<Event>.Continuation

        init(_ events: AsyncStream<Event>.Continuation) { self.events = events }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data).readableBytesView
            events.yield(.bytes(String(decoding: bytes, as: UTF8.self)))
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if (error as? IOError)?.errnoCode == ECONNRESET { events.yield(.reset) }
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            events.yield(.closed)
            events.finish()
        }
    }
}

/// A client that never reads.
struct DeafClient: Sendable {
    private let channel: any Channel

    init(port: Int) async throws {
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .connect(host: "127.0.0.1", port: port).get()
    }

    func send(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)) }
}
#endif
