#if Server
import NIOCore
import NIOHTTP1

/// Closes a connection whose client takes too long to send a request, and one that owes a body when the server
/// stops.
///
/// A connection between two requests may be idle; the head of the next one is due from its first byte on.
final class RequestDeadlines: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The rest of a request did not arrive in time, or not before the server stopped.
    struct Missing: Error {}

    private enum Owed: Equatable {
        case nothing
        case head(since: NIODeadline)
        case body(since: NIODeadline, bytes: Int)
    }

    /// How often a stopping server looks whether a client reads its answer.
    private static let patience = TimeAmount.seconds(1)

    private let limits: ConnectionLimits
    private let connections: OpenConnections
    private var context: ChannelHandlerContext?
    private var owed = Owed.nothing
    private var answersDue = 0
    private var isStopping = false
    /// Looks at what is owed, no later than it is due.
    private var timer: (task: Scheduled<Void>, at: NIODeadline)?

    init(_ limits: ConnectionLimits, _ connections: OpenConnections) {
        (self.limits, self.connections) = (limits, connections)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { owes(.head(since: context.eventLoop.now)) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.task.cancel()
        (self.context, timer) = (nil, nil)
    }

    func channelActive(context: ChannelHandlerContext) {
        owes(.head(since: context.eventLoop.now))
        context.fireChannelActive()
    }

    /// Bytes are about to be parsed. A client that waits for an answer may send the next head as it likes.
    func bytesArrive() {
        guard owed == .nothing, answersDue == 0, let context else { return }
        owes(.head(since: context.eventLoop.now))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // What follows the last request that is answered is not read.
        if isStopping { return }
        switch Self.unwrapInboundIn(data) {
        case .head:
            answersDue += 1
            owes(.body(since: context.eventLoop.now, bytes: 0))
        case .body(let bytes):
            if case .body(let since, let count) = owed {
                owed = .body(since: since, bytes: count + bytes.readableBytes)
            }
        case .end: owes(.nothing)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = Self.unwrapOutboundIn(data) { answersDue -= 1 }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, !isStopping {
            isStopping = true
            if case .body = owed {
                close()
            } else {
                owes(.nothing)
                closeUnlessRead()
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Time

    private func owes(_ owed: Owed) {
        self.owed = owed
        schedule()
    }

    /// A timer that is set stays set, so that most requests, which arrive whole, set none.
    private func schedule() {
        guard let context, let due else { return }
        if let timer {
            guard due < timer.at else { return }
            timer.task.cancel()
        }
        let look: () -> Void = { [weak self] in self?.look() }
        timer = (context.eventLoop.assumeIsolated().scheduleTask(deadline: due, look), due)
    }

    private var due: NIODeadline? {
        switch owed {
        case .nothing: nil
        case .head(let since): since + TimeAmount(limits.head)
        case .body(let since, let bytes):
            since + TimeAmount(limits.body)
                + .nanoseconds(Int64(bytes) * (1_000_000_000 / Int64(limits.bodyBytesPerSecond)))
        }
    }

    private func look() {
        timer = nil
        guard let context, let due else { return }
        let now = context.eventLoop.now
        if case .body(_, let bytes) = owed, answersDue > 1 {
            // An earlier request is still being answered, so this body may not have been read.
            owed = .body(since: now, bytes: bytes)
        } else if now >= due {
            connections.countLate()
            return close()
        }
        schedule()
    }

    /// Closes a connection whose client does not read what it asked for.
    private func closeUnlessRead() {
        guard let context else { return }
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { [weak self] in
            guard let self, let context = self.context else { return }
            if context.channel.isWritable { self.closeUnlessRead() } else { self.close() }
        }
    }

    /// The error ends the body, which must not look complete to its reader.
    private func close() {
        guard let context else { return }
        owes(.nothing)
        context.fireErrorCaught(Missing())
        context.close(promise: nil)
    }
}

/// Tells the deadlines of a connection, which see only whole parts of requests, when bytes arrive.
final class ArrivalWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let deadlines: RequestDeadlines

    init(_ deadlines: RequestDeadlines) { self.deadlines = deadlines }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        deadlines.bytesArrive()
        context.fireChannelRead(data)
    }
}
#endif
