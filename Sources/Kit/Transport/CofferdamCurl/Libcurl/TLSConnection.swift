#if Curl
import CLibcurl

/// A connection's TLS session, for questions that libcurl does not answer.
struct TLSConnection {
    enum Found {
        /// The connection has no TLS.
        case none
        case open(TLSConnection)
        /// The TLS session belongs to another library.
        case hidden
    }

    private let session: OpaquePointer
    private let calls: OpenSSLCalls

    /// Finds the TLS session of a transfer's connection; valid until libcurl has finished the transfer.
    static func find(_ raw: UnsafeMutableRawPointer) -> Found {
        var isOpenSSL: Int32 = 0
        guard let session = cofferdam_tls(raw, &isOpenSSL) else { return .none }
        guard isOpenSSL != 0, let calls = OpenSSLCalls.found else { return .hidden }
        return .open(TLSConnection(session: OpaquePointer(session), calls: calls))
    }

    /// Whether the session holds bytes that libcurl has not read.
    var holdsBytes: Bool { calls.hasPending(session) != 0 }

    /// Whether the server has said that nothing follows: SSL_RECEIVED_SHUTDOWN.
    var hasEnded: Bool { calls.ends(session) & 2 != 0 }

    /// The number of bytes read from the network.
    var bytesRead: UInt64 { calls.bytesRead(calls.reader(session)) }

    /// Lets connections resume sessions by their tickets, which libcurl turns off before TLS 1.3, and unless `logsKeys`
    /// stops OpenSSL from writing connection keys to `SSLKEYLOGFILE`, as libcurl told it to.
    static func prepare(_ options: inout EasyOptions, logsKeys: Bool) {
        options.check(
            logsKeys
                ? cofferdam_setopt_tls_callback(options.raw) { raw, context, _ in
                    TLSConnection.allowTickets(raw, context)
                    return CURLE_OK
                }
                : cofferdam_setopt_tls_callback(options.raw) { raw, context, _ in
                    if let context = TLSConnection.allowTickets(raw, context) { OpenSSLCalls.setKeyLog?(context, nil) }
                    return CURLE_OK
                }
        )
    }

    /// - Returns: the context, where it is OpenSSL's.
    @discardableResult
    private static func allowTickets(
        _ raw: UnsafeMutableRawPointer?,
        _ context: UnsafeMutableRawPointer?
    ) -> OpaquePointer? {
        var isOpenSSL: Int32 = 0
        _ = cofferdam_tls(raw, &isOpenSSL)
        guard isOpenSSL != 0, let context else { return nil }
        _ = OpenSSLCalls.clearOptions?(OpaquePointer(context), OpenSSLCalls.noTicket)
        return OpaquePointer(context)
    }
}
#endif
