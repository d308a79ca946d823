#if Server
import Logging
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Accepts no connection for a second after the process ran out of file descriptors.
///
/// NIO's own pause only delays the next read: the listening socket stays registered, so its event loop spins.
final class AcceptPause: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = Never

    static let length = TimeAmount.seconds(1)
    private static let shortages = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private let logger: Logger
    private var isPaused = false

    init(_ logger: Logger) { self.logger = logger }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, Self.shortages.contains(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        guard !isPaused else { return }
        isPaused = true
        logger.error("the server accepts no connection for a second: \(error)")
        set(false, context.channel)
        let channel = context.channel
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.length) { [weak self] in
            self?.isPaused = false
            self?.set(true, channel)
        }
    }

    func read(context: ChannelHandlerContext) {
        // It would register the socket again.
        if !isPaused { context.read() }
    }

    private func set(_ reads: Bool, _ channel: any Channel) {
        // A channel without the option is closed.
        try? channel.syncOptions?.setOption(.autoRead, value: reads)
    }
}
#endif
