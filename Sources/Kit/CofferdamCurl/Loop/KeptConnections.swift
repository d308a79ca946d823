import CLibcurl

/// The sockets of libcurl's connections, by what it calls a connection just before it sends a request on it.
///
/// libcurl 7.88 takes a kept connection that holds bytes nobody asked for, as a server's late 408, for a good one, and
/// those bytes for the next reply. What we know of is shut down instead: libcurl cannot send, and opens another.
/// Connections of a Unix socket have no name.
final class KeptConnections {
    struct Name: Hashable {
        let localPort: Int32
        let remotePort: Int32
        let remoteAddress: String
    }

    final class Connection {
        fileprivate let socket: curl_socket_t
        /// Else bytes may come at any time.
        var speaksHTTP1 = false

        fileprivate init(_ socket: curl_socket_t) { self.socket = socket }

        /// - Returns: whether it held bytes, and can be used no more.
        func shutDownIfSpoiled() -> Bool {
            guard speaksHTTP1, cofferdam_has_input(socket) != 0 else { return false }
            cofferdam_shut_down(socket)
            return true
        }
    }

    private var connections: [Name: Connection] = [:]
    private var names: [curl_socket_t: Name] = [:]

    subscript(name: Name) -> Connection? { connections[name] }

    /// - Parameter sockets: those that were opened to make the connection; one of them is its own.
    func add(_ name: Name, among sockets: [curl_socket_t]) -> Connection? {
        guard name.localPort > 0,
            let socket = sockets.last(where: { names[$0] == nil && cofferdam_local_port($0) == name.localPort })
        else { return nil }
        let connection = Connection(socket)
        connections[name] = connection
        names[socket] = name
        return connection
    }

    /// libcurl closes the socket.
    func remove(_ socket: curl_socket_t) {
        guard let name = names.removeValue(forKey: socket), connections[name]?.socket == socket else { return }
        connections[name] = nil
    }
}
