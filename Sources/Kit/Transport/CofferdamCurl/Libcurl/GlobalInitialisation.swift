#if Curl
import CLibcurl

/// Initialises libcurl for the process, once. It is never undone, since other code in the process may use libcurl too.
enum GlobalInitialisation {
    static let result: CURLcode = {
        keepOpenSSLUntilTheEnd()
        #if canImport(Glibc)
        return LibcurlMemory.initialise()
        #else
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        #endif
    }()

    /// Prevents OpenSSL from freeing its memory at exit, which would crash loop threads that still use it. This must be
    /// set before OpenSSL is initialised. The function may be missing, because libcurl may be built on another library.
    private static func keepOpenSSLUntilTheEnd() {
        // OPENSSL_INIT_NO_ATEXIT of <openssl/crypto.h>, since 1.1.1b.
        _ = OpenSSLCalls.initialise?(0x0008_0000, nil)
    }
}
#endif
