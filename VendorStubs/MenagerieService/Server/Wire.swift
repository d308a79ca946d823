#if Sandbox
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The connection below HTTP: bytes are sent as they are.
final class Wire: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    fileprivate func send(_ bytes: ByteBuffer) throws -> EventLoopFuture<Void> {
        guard let context else { throw ChannelError.alreadyClosed }
        let sent = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(bytes)), promise: sent)
        return sent.futureResult
    }
}

extension Channel {
    /// Sends bytes regardless of HTTP's rules, and returns when the system has accepted them.
    func sendRaw(_ bytes: some Sequence<UInt8>) async throws {
        let buffer = ByteBuffer(bytes: bytes)
        try await eventLoop.flatSubmit {
            do {
                return try self.pipeline.syncOperations.handler(type: Wire.self).send(buffer)
            } catch {
                return self.eventLoop.makeFailedFuture(error)
            }
        }.get()
    }

    /// Closes the connection, and returns when it is closed.
    func end(by ending: Fault.Ending) async {
        if ending == .reset, let socket = self as? any SocketOptionProvider {
            // A socket with a linger time of zero resets its connection when it is closed.
            do { try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get() } catch {}
        }
        // It may already be closed.
        do { try await close() } catch {}
    }
}
#endif
