#if Curl
import CLibcurl

/// Checks a transfer's connection for unsolicited bytes, just before the request is sent on it.
struct ConnectionCheck {
    private var connection: KeptConnections.Connection?
    private var tls = TLSConnection.Found.none
    /// The number of bytes received over TLS before the request was sent.
    private var sizeBefore: UInt64?

    init() {}

    init(_ connection: KeptConnections.Connection?, _ tls: TLSConnection.Found) {
        self.connection = connection
        self.tls = tls
    }

    /// Whether bytes before the next request can be detected; if not, the connection must not be reused.
    var isPossible: Bool {
        if connection == nil { return false }
        if case .hidden = tls { return false }
        return true
    }

    /// Whether the bytes that the connection holds when it is closed may be an answer.
    func keepLastWords(_ keeps: Bool) { connection?.keepsLastWords = keeps }

    /// The bytes that the connection held when it was closed; empty if it is open.
    var lastWords: [UInt8] { connection?.lastWords ?? [] }

    /// Checks a reused connection, and shuts it down if it has ended, or in HTTP/1 if it holds bytes.
    ///
    /// In HTTP/2 libcurl 7.88 checks that too, but not for a server that ends TLS before the connection.
    ///
    /// - Parameter now: the time of the loop's turn.
    /// - Returns: whether it can no longer be used.
    func shutDownIfSpoiled(at now: LoopTime) -> Bool {
        guard let connection else { return false }
        var isSpoiled = connection.speaksHTTP1 ? connection.hasInput : connection.hasEnded(at: now)
        if !isSpoiled, case .open(let tls) = tls { isSpoiled = connection.speaksHTTP1 ? tls.holdsBytes : tls.hasEnded }
        guard isSpoiled else { return false }
        connection.shutDown()
        return true
    }

    /// Checks a new connection to a server that must be silent until it receives a request.
    ///
    /// - Returns: whether the server sent anything. Over TLS the bytes may be the protocol's own: only ``beginReply()``
    ///   can tell.
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

    /// Checks the first line of an HTTP/1 reply. After the reply the connection must be silent until the next request.
    ///
    /// - Returns: whether the line arrived before the request was sent.
    mutating func beginReply() -> Bool {
        connection?.speaksHTTP1 = true
        guard let sizeBefore, case .open(let tls) = tls else { return false }
        self.sizeBefore = nil
        return tls.bytesRead <= sizeBefore
    }
}
#endif
