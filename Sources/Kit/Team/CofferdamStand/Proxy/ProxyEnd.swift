#if TestStand
import NIOCore

/// One end of a connection, in its channel's pipeline.
final class ProxyEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    enum Role { case client, server }

    private let role: Role
    private var connection: ProxyConnection?

    init(_ role: Role, of connection: ProxyConnection) {
        self.role = role
        self.connection = connection
    }

    func channelActive(context: ChannelHandlerContext) {
        if role == .client { connection?.connect() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Array(unwrapInboundIn(data).readableBytesView)
        switch role {
        case .client: connection?.clientSent(bytes)
        case .server: connection?.serverSent(bytes)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        connection?.writability(of: role, is: context.channel.isWritable)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        connection?.failed(role, error)
    }
}
#endif
