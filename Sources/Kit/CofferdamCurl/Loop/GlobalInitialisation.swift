import CLibcurl

/// libcurl's own process-wide initialisation, once and never undone: others in the process may use it too.
enum GlobalInitialisation {
    static let result: CURLcode = {
        keepOpenSSLUntilTheEnd()
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    }()

    /// OpenSSL gives back its memory when the process exits, while loop threads may still use it, and crashes them. Told
    /// before it begins, it leaves that to the system. libcurl may have another library in its place.
    private static func keepOpenSSLUntilTheEnd() {
        // OPENSSL_INIT_NO_ATEXIT of <openssl/crypto.h>, since 1.1.1b.
        _ = OpenSSLCalls.initialise?(0x0008_0000, nil)
    }
}
