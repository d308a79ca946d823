#if TestStand
import NIOCore
import NIOPosix

/// The listening socket of a proxy, and its connections.
///
/// Used only on its event loop.
final class ProxyHub {
    private let loop: any EventLoop
    private let setup: ProxySetup
    private var listener: (any Channel)?
    private var connections: [ObjectIdentifier: ProxyConnection] = [:]
    private var connectionCount = 0
    private var closing: EventLoopPromise<Void>?

    init(loop: any EventLoop, setup: ProxySetup) {
        self.loop = loop
        self.setup = setup
    }

    /// Returns the port, once the socket listens.
    func listen() -> EventLoopFuture<Int> {
        let bound = NIOLoopBound(self, eventLoop: loop)
        return ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try bound.value.accept(channel) }
            }
            .bind(host: "127.0.0.1", port: 0)
            .assumeIsolated()
            .map { listener in
                self.listener = listener
                return listener.localAddress?.port ?? 0
            }
            .nonisolated()
    }

    private func accept(_ channel: any Channel) throws {
        guard closing == nil else { throw ProxyError.closed }
        connectionCount += 1
        let connection = ProxyConnection(id: connectionCount, client: channel, setup: setup) { [weak self] in
            self?.connections[ObjectIdentifier($0)] = nil
            self?.closeIfEmpty()
        }
        try channel.pipeline.syncOperations.addHandler(ProxyEnd(.client, of: connection))
        connections[ObjectIdentifier(connection)] = connection
        setup.ledger.changeConnections(by: 1)
        // A channel that is closed before it becomes active never reports that it is inactive.
        channel.closeFuture.assumeIsolated().whenComplete { _ in connection.closed(.client) }
    }

    func release(_ operation: String?) {
        for connection in connections.values { connection.release(operation) }
    }

    /// Sends bytes to clients, or ends their connections; returns how many they were.
    func send(_ bytes: [UInt8], to chosen: ProxyConnections, then ending: ProxyAction.Ending?) -> Int {
        let chosen = connections.values.filter { $0.belongs(to: chosen) }
        for connection in chosen { connection.send(bytes, then: ending) }
        return chosen.count
    }

    /// Closes everything; the future completes when nothing is open any more.
    func close() -> EventLoopFuture<Void> {
        if let closing { return closing.futureResult }
        let closing = loop.makePromise(of: Void.self)
        self.closing = closing
        guard let listener else {
            closing.succeed()
            return closing.futureResult
        }
        listener.close().assumeIsolated().whenComplete { _ in
            self.listener = nil
            self.closeIfEmpty()
        }
        for connection in connections.values { connection.end(by: .close, isUrgent: true) }
        return closing.futureResult
    }

    private func closeIfEmpty() {
        if listener == nil, connections.isEmpty { closing?.succeed() }
    }
}

/// State that all connections of a proxy share.
struct ProxySetup: Sendable {
    let upstream: TestProxy.Upstream?
    let framing: any Framing
    let ledger: ProxyLedger
    let clock: any Clock<Duration>
}
#endif
