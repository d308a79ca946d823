#if Sandbox
import NIOCore
import Synchronization

/// The open connections, so that all of them can be cut.
final class Connections: Sendable {
    private struct Guarded {
        var open: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    private let guarded = Mutex(Guarded())

    /// Closes all open connections, and from now on every new one.
    func close() {
        let open = guarded.withLock { guarded in
            guarded.isClosed = true
            return Array(guarded.open.values)
        }
        for channel in open { channel.close(promise: nil) }
    }

    /// Returns false if the connection must not stay open.
    fileprivate func add(_ channel: any Channel) -> Bool {
        guarded.withLock { guarded in
            guarded.open[ObjectIdentifier(channel)] = channel
            return !guarded.isClosed
        }
    }

    fileprivate func remove(_ channel: any Channel) {
        guarded.withLock { $0.open[ObjectIdentifier(channel)] = nil }
    }

    /// Registers connections when they open and end.
    final class Watch: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = NIOAny

        private let connections: Connections

        init(_ connections: Connections) { self.connections = connections }

        func handlerAdded(context: ChannelHandlerContext) {
            do {
                try context.pipeline.syncOperations.addHandler(Wire(), position: .first)
            } catch {
                context.fireErrorCaught(error)
            }
        }

        func channelActive(context: ChannelHandlerContext) {
            context.fireChannelActive()
            if !connections.add(context.channel) { context.close(promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            connections.remove(context.channel)
            context.fireChannelInactive()
        }
    }
}
#endif
