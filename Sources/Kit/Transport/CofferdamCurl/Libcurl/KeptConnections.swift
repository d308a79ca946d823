#if Curl
import CLibcurl

/// Tracks the sockets of libcurl's connections by name: what is known of a connection just before a request is sent on
/// it.
///
/// libcurl 7.88 reuses a connection that holds unsolicited bytes, such as a server's late 408, and takes them for the
/// next reply. Such a connection is shut down here instead: libcurl fails to send and opens another. Connections that
/// cannot be inspected are not kept.
final class KeptConnections {
    enum Name: Hashable {
        case address(localPort: Int32, remotePort: Int32, remoteAddress: String)
        /// A connection to a Unix socket, for which libcurl reports no address.
        case label(Label)
    }

    /// Labels the connections of one handle, which libcurl lets no other handle use.
    struct Label: Hashable {
        /// A local port, which separates libcurl's connections and has no effect on a Unix socket.
        let port: Int
    }

    final class Connection {
        fileprivate let socket: curl_socket_t
        /// Without it, bytes may arrive at any time.
        var speaksHTTP1 = false
        /// Whether to read what has arrived when libcurl closes the connection.
        var keepsLastWords = false
        /// The bytes that had arrived, and libcurl had not read, when it closed the connection.
        fileprivate(set) var lastWords: [UInt8] = []
        /// The turn of the loop that last found the connection open.
        private var lastOpen: LoopTime?

        fileprivate init(_ socket: curl_socket_t) { self.socket = socket }

        /// The number of unread bytes.
        var unreadBytes: Int { Int(cofferdam_unread(socket)) }

        /// Whether there is unread input, including the end of the connection.
        var hasInput: Bool { cofferdam_has_input(socket) != 0 }

        /// Whether everything was read and the server has ended the connection. Looked up once in a turn of the loop, in
        /// which many requests may share the connection: each of them can also find it ended a moment later.
        func hasEnded(at now: LoopTime) -> Bool {
            if now == lastOpen { return false }
            if cofferdam_has_ended(socket) != 0 { return true }
            lastOpen = now
            return false
        }

        func shutDown() { cofferdam_shut_down(socket) }

        /// At most 1 MB: an early answer is short.
        fileprivate func readLastWords() {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while lastWords.count < 1 << 20 {
                let count = cofferdam_read_arrived(socket, &buffer, buffer.count)
                guard count > 0 else { return }
                lastWords += buffer.prefix(count)
            }
        }
    }

    private var connections: [Name: Connection] = [:]
    private var names: [curl_socket_t: Name] = [:]
    private var freeLabels: [Label] = []
    private var labelCount = 0

    subscript(name: Name) -> Connection? { connections[name] }

    /// - Parameter sockets: the sockets opened for the transfer; one of them belongs to the connection.
    func add(_ name: Name, among sockets: [curl_socket_t]) -> Connection? {
        let own: curl_socket_t? =
            switch name {
            case .address(let localPort, _, _):
                localPort > 0 ? sockets.last { cofferdam_local_port($0) == localPort } : nil
            // There is only one address to try.
            case .label: sockets.last
            }
        guard let own else { return nil }
        if let known = connections[name], known.socket == own { return known }
        let connection = Connection(own)
        connections[name] = connection
        names[own] = name
        return connection
    }

    /// Forgets a socket that libcurl closes.
    func remove(_ socket: curl_socket_t) {
        guard let name = names.removeValue(forKey: socket), let connection = connections[name],
            connection.socket == socket
        else { return }
        if connection.keepsLastWords { connection.readLastWords() }
        connections[name] = nil
    }

    // MARK: Labels

    /// Returns an unused label; `nil` when all ports are taken.
    func takeLabel() -> Label? {
        if let free = freeLabels.popLast() { return free }
        guard labelCount < 65_535 else { return nil }
        labelCount += 1
        return Label(port: labelCount)
    }

    func give(_ label: Label) { freeLabels.append(label) }
}
#endif
