#if Server
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// HTTP/1.1 on connections that are limited in number and in the time that their requests take.
struct LimitedHTTP1: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    /// The connection exceeds a limit.
    private struct Refused: Error {}

    let http: HTTP1Channel
    let limits: ConnectionLimits
    let connections: OpenConnections
    let proxies: TrustedProxies

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let address = channel.remoteAddress?.ipAddress ?? "unknown"
        let bucket = proxies.contains(address) ? nil : IPAddress.bucket(of: address)
        guard connections.admit(bucket) else {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(Refused())
        }
        channel.closeFuture.whenComplete { _ in connections.remove(bucket) }
        return http.setup(channel: channel, logger: logger).flatMapThrowing { value in
            try Self.addHandlers(to: channel.pipeline.syncOperations, limits, connections)
            return value
        }
    }

    /// - Parameter pipeline: has the parser of requests.
    static func addHandlers(
        to pipeline: ChannelPipeline.SynchronousOperations,
        _ limits: ConnectionLimits,
        _ connections: OpenConnections
    ) throws {
        let deadlines = RequestDeadlines(limits, connections)
        let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(ArrivalWatch(deadlines), position: .first)
        try pipeline.addHandlers([deadlines, RequestFraming()], position: .after(parser))
    }

    func handle(value: Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}
#endif
