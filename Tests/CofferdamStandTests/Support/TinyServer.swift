#if TestStand
import Cofferdam
import CofferdamStand
import NIOCore
import NIOPosix
import TestSupport

/// A minimal server on loopback that answers each request that `read` finds, and records it.
final class TinyServer: Sendable {
    /// Finds the first request in the bytes: its length and the answer; `nil` if it is not complete.
    typealias Read = @Sendable (_ bytes: [UInt8]) -> (length: Int, answer: [UInt8]?)?

    let port: Int
    var upstream: TestProxy.Upstream { .init(port: port) }
    private let listener: any Channel
    private let seen: Log<[UInt8]>
    private let channels: Log<any Channel>

    /// The requests, in order.
    var requests: [String] { seen.entries.map { String(decoding: $0, as: UTF8.self) } }

    /// - Parameter read: an answer of `nil` closes the connection.
    init(greeting: String = "", _ read: @escaping Read) async throws {
        let (seen, channels) = (Log<[UInt8]>(), Log<any Channel>())
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channels.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(greeting, read, seen))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = listener.localAddress?.port ?? 0
        (self.seen, self.channels) = (seen, channels)
    }

    /// Stops listening and waits until the last connection has ended, which the other end must do.
    func close() async throws {
        try await listener.close()
        for channel in channels.entries { try await channel.closeFuture.get() }
    }

    /// Sends something without a request on each connection. One that has just ended gets nothing.
    func push(_ text: String) async {
        for channel in channels.entries where channel.isActive {
            try? await channel.writeAndFlush(ByteBuffer(string: text))
        }
    }

    /// Closes the connections.
    func hangUp() {
        for channel in channels.entries { channel.close(promise: nil) }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let greeting: String
        private let read: Read
        private let seen: Log<[UInt8]>
        private var bytes: [UInt8] = []

        init(_ greeting: String, _ read: @escaping Read, _ seen: Log<[UInt8]>) {
            (self.greeting, self.read, self.seen) = (greeting, read, seen)
        }

        func channelActive(context: ChannelHandlerContext) {
            if !greeting.isEmpty { context.channel.writeAndFlush(ByteBuffer(string: greeting), promise: nil) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += Array(unwrapInboundIn(data).readableBytesView)
            while let (length, answer) = read(bytes) {
                seen.add(Array(bytes.prefix(length)))
                bytes.removeFirst(length)
                guard let answer else { return context.close(promise: nil) }
                context.channel.writeAndFlush(ByteBuffer(bytes: answer), promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

extension TinyServer {
    /// Answers "a b" with "re: a b", and closes the connection at "bye".
    static func lines(greeting: String = "") async throws -> TinyServer {
        try await TinyServer(greeting: greeting) { bytes in
            guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let line = String(decoding: bytes[...end], as: UTF8.self)
            return (end + 1, line == "bye\n" ? nil : Array("re: \(line)".utf8))
        }
    }

    /// Answers each request without a body with `answer`, and each other with its own body.
    static func http(_ answer: String = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello") async throws
        -> TinyServer
    {
        try await TinyServer { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            guard let head = text.firstRange(of: "\r\n\r\n") else { return nil }
            let headLength = text[..<head.upperBound].utf8.count
            guard let match = text[..<head.upperBound].firstMatch(of: /Content-Length: (\d+)/) else {
                return (headLength, Array(answer.utf8))
            }
            let length = headLength + (Int(match.1) ?? 0)
            guard bytes.count >= length else { return nil }
            let start = "HTTP/1.1 201 Created\r\nContent-Length: \(length - headLength)\r\n\r\n"
            return (length, Array(start.utf8) + bytes[headLength..<length])
        }
    }

    /// Answers PING, and any other command with its last word; SUBSCRIBE also with a push.
    static func resp() async throws -> TinyServer {
        try await TinyServer { bytes in
            var (words, rest) = ([String](), bytes[...])
            // A line of words.
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")), bytes[0] != UInt8(ascii: "*") {
                return (end + 1, Array(":1\r\n".utf8))
            }
            func line() -> String? {
                guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                defer { rest = rest[(end + 1)...] }
                return String(decoding: rest[..<end].dropLast(), as: UTF8.self)
            }
            guard let head = line(), let count = Int(head.dropFirst()) else { return nil }
            for _ in 0..<count {
                guard let head = line(), let length = Int(head.dropFirst()), rest.count >= length + 2 else {
                    return nil
                }
                words.append(String(decoding: rest.prefix(length), as: UTF8.self))
                rest = rest.dropFirst(length + 2)
            }
            let last = words.last ?? ""
            let answer =
                switch words.first {
                case "PING": "+PONG\r\n"
                case "SUBSCRIBE": ">3\r\n$9\r\nsubscribe\r\n$\(last.utf8.count)\r\n\(last)\r\n:1\r\n>1\r\n+news\r\n"
                default: "$\(last.utf8.count)\r\n\(last)\r\n"
                }
            return (bytes.count - rest.count, Array(answer.utf8))
        }
    }
}
#endif
