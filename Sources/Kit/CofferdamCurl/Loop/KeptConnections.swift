import CLibcurl

/// The sockets of libcurl's connections, by what is known of a connection just before a request is sent on it.
///
/// libcurl 7.88 takes a kept connection that holds bytes nobody asked for, as a server's late 408, for a good one, and
/// those bytes for the next reply. What we know of is shut down instead: libcurl cannot send, and opens another. What we
/// cannot look into is not kept.
final class KeptConnections {
    enum Name: Hashable {
        case address(localPort: Int32, remotePort: Int32, remoteAddress: String)
        /// Of a Unix socket, for which libcurl has no address.
        case label(Label)
    }

    /// Of a handle whose connections libcurl gives to no other.
    struct Label: Hashable {
        /// As a port to connect from it keeps libcurl's connections apart, and means nothing to a Unix socket.
        let port: Int
    }

    final class Connection {
        fileprivate let socket: curl_socket_t
        /// Else bytes may come at any time.
        var speaksHTTP1 = false

        fileprivate init(_ socket: curl_socket_t) { self.socket = socket }

        /// How many bytes have come that were not read.
        var unreadBytes: Int { Int(cofferdam_unread(socket)) }

        /// Whether anything has come that was not read, the end too.
        var hasInput: Bool { cofferdam_has_input(socket) != 0 }

        func shutDown() { cofferdam_shut_down(socket) }
    }

    private var connections: [Name: Connection] = [:]
    private var names: [curl_socket_t: Name] = [:]
    private var freeLabels: [Label] = []
    private var labelCount = 0

    subscript(name: Name) -> Connection? { connections[name] }

    /// - Parameter sockets: those that were opened for the transfer; one of them is the connection's own.
    func add(_ name: Name, among sockets: [curl_socket_t]) -> Connection? {
        let own: curl_socket_t? =
            switch name {
            case .address(let localPort, _, _):
                localPort > 0 ? sockets.last { cofferdam_local_port($0) == localPort } : nil
            // There is one address only to try.
            case .label: sockets.last
            }
        guard let own else { return nil }
        if let known = connections[name], known.socket == own { return known }
        let connection = Connection(own)
        connections[name] = connection
        names[own] = name
        return connection
    }

    /// libcurl closes the socket.
    func remove(_ socket: curl_socket_t) {
        guard let name = names.removeValue(forKey: socket), connections[name]?.socket == socket else { return }
        connections[name] = nil
    }

    // MARK: Labels

    /// `nil` when there are no more ports.
    func takeLabel() -> Label? {
        if let free = freeLabels.popLast() { return free }
        guard labelCount < 65_535 else { return nil }
        labelCount += 1
        return Label(port: labelCount)
    }

    func give(_ label: Label) { freeLabels.append(label) }
}
