#if Curl
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A loopback port that accepts no more connections: clients wait.
final class FullListener: Sendable {
    let port: UInt16
    private let sockets: [Int32]

    init() throws {
        let (listener, port) = try ScriptedServer.listen(backlog: 0)
        self.port = port
        var sockets = [listener]
        // More than any system admits with a backlog of 0.
        for _ in 0..<4 { sockets.append(try ScriptedServer.startConnecting(to: port)) }
        self.sockets = sockets
    }

    deinit { for socket in sockets { close(socket) } }
}
#endif
