#if Curl
import CLibcurl

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Direct calls to libcurl's TLS library, where that is OpenSSL or has its interface.
///
/// The functions are looked up at run time, since libcurl may be built on another library. Their types are those of
/// <openssl/ssl.h>.
struct OpenSSLCalls: Sendable {
    /// SSL_has_pending.
    let hasPending: @Sendable @convention(c) (_ session: OpaquePointer) -> Int32
    /// SSL_get_rbio.
    let reader: @Sendable @convention(c) (_ session: OpaquePointer) -> OpaquePointer?
    /// SSL_get_shutdown.
    let ends: @Sendable @convention(c) (_ session: OpaquePointer) -> Int32
    /// BIO_number_read.
    let bytesRead: @Sendable @convention(c) (_ reader: OpaquePointer?) -> UInt64

    typealias SetKeyLog = @Sendable @convention(c) (_ context: OpaquePointer, _ log: OpaquePointer?) -> Void
    typealias ClearOptions = @Sendable @convention(c) (_ context: OpaquePointer, _ options: UInt64) -> UInt64
    typealias Initialise = @Sendable @convention(c) (_ options: UInt64, _ settings: OpaquePointer?) -> Int32

    static let found = OpenSSLCalls()

    static let setKeyLog = symbol("SSL_CTX_set_keylog_callback").map { unsafeBitCast($0, to: SetKeyLog.self) }

    static let clearOptions = symbol("SSL_CTX_clear_options").map { unsafeBitCast($0, to: ClearOptions.self) }
    /// SSL_OP_NO_TICKET.
    static let noTicket: UInt64 = 1 << 14

    static let initialise = symbol("OPENSSL_init_crypto").map { unsafeBitCast($0, to: Initialise.self) }

    /// Looks the functions up; `nil` when one is missing.
    private init?() {
        guard let hasPending = Self.symbol("SSL_has_pending"), let reader = Self.symbol("SSL_get_rbio"),
            let bytesRead = Self.symbol("BIO_number_read"), let ends = Self.symbol("SSL_get_shutdown")
        else { return nil }
        self.hasPending = unsafeBitCast(hasPending, to: (@Sendable @convention(c) (OpaquePointer) -> Int32).self)
        self.reader = unsafeBitCast(reader, to: (@Sendable @convention(c) (OpaquePointer) -> OpaquePointer?).self)
        self.ends = unsafeBitCast(ends, to: (@Sendable @convention(c) (OpaquePointer) -> Int32).self)
        self.bytesRead = unsafeBitCast(bytesRead, to: (@Sendable @convention(c) (OpaquePointer?) -> UInt64).self)
    }

    private static func symbol(_ name: String) -> UnsafeMutableRawPointer? { library.flatMap { dlsym($0, name) } }

    /// Only the functions that libcurl itself is linked to: other libraries of the process may have some of the same name.
    // Safe: it is set once, before its first use, and never closed; dlsym may be called from any thread.
    private nonisolated(unsafe) static let library = cofferdam_libcurl()
}
#endif
