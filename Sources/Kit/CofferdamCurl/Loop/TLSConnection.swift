import CLibcurl

/// A connection's TLS, asked what libcurl does not tell.
struct TLSConnection {
    enum Found {
        /// The connection has no TLS.
        case none
        case open(TLSConnection)
        /// It is another library's.
        case hidden
    }

    private let session: OpaquePointer
    private let calls: OpenSSLCalls

    /// That of the connection which a transfer has, until libcurl is done with the transfer.
    static func find(_ raw: UnsafeMutableRawPointer) -> Found {
        var isOpenSSL: Int32 = 0
        guard let session = cofferdam_tls(raw, &isOpenSSL) else { return .none }
        guard isOpenSSL != 0, let calls = OpenSSLCalls.found else { return .hidden }
        return .open(TLSConnection(session: OpaquePointer(session), calls: calls))
    }

    /// Whether it holds bytes that libcurl has not read.
    var holdsBytes: Bool { calls.hasPending(session) != 0 }

    /// How many bytes it has read from the network.
    var bytesRead: UInt64 { calls.bytesRead(calls.reader(session)) }

    /// libcurl has told OpenSSL to write the keys of connections to `SSLKEYLOGFILE`: tells it not to.
    static func keepKeys(_ options: inout EasyOptions) {
        options.check(
            cofferdam_setopt_tls_callback(options.raw) { raw, context, _ in
                var isOpenSSL: Int32 = 0
                _ = cofferdam_tls(raw, &isOpenSSL)
                if isOpenSSL != 0, let context { OpenSSLCalls.setKeyLog?(OpaquePointer(context), nil) }
                return CURLE_OK
            }
        )
    }
}
