import CLibcurl

/// Whether what comes on a transfer's connection is asked for: made just before the request is sent on it.
struct ConnectionCheck {
    private var connection: KeptConnections.Connection?
    private var tls = TLSConnection.Found.none
    /// How much had come over TLS before the request was sent, in bytes.
    private var sizeBefore: UInt64?

    init() {}

    init(_ connection: KeptConnections.Connection?, _ tls: TLSConnection.Found) {
        self.connection = connection
        self.tls = tls
    }

    /// Whether the next request on the connection can be told what came before it: else there is to be none.
    var isPossible: Bool {
        if connection == nil { return false }
        if case .hidden = tls { return false }
        return true
    }

    /// Looks at a kept connection.
    ///
    /// - Returns: whether it held bytes, and can be used no more.
    func shutDownIfSpoiled() -> Bool {
        guard let connection, connection.speaksHTTP1 else { return false }
        var holdsBytes = false
        if case .open(let tls) = tls { holdsBytes = tls.holdsBytes }
        guard holdsBytes || connection.hasInput else { return false }
        connection.shutDown()
        return true
    }

    /// Looks at a new connection to a server that is silent until it is asked.
    ///
    /// - Returns: whether it is not. Over TLS what came may be TLS's own: only ``beginReply()`` knows.
    mutating func isAnsweredEarly() -> Bool {
        guard let connection else { return false }
        switch tls {
        case .none: return connection.unreadBytes > 0
        case .hidden: return false
        case .open(let tls):
            sizeBefore = tls.bytesRead + UInt64(connection.unreadBytes)
            return false
        }
    }

    /// The reply's first line came, of HTTP/1: after it the connection is silent until the next request.
    ///
    /// - Returns: whether it was there before the request.
    mutating func beginReply() -> Bool {
        connection?.speaksHTTP1 = true
        guard let sizeBefore, case .open(let tls) = tls else { return false }
        self.sizeBefore = nil
        return tls.bytesRead <= sizeBefore
    }
}
