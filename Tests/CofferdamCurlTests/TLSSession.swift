#if Curl
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A server's certificate and protocols, for TLS within this process. Its calls are those of <openssl/ssl.h>.
// Safe: it does not change, and OpenSSL allows several threads to begin sessions of one context.
final class TLSContext: @unchecked Sendable {
    fileprivate let calls: LibSSL
    private let context: OpaquePointer
    /// The accepted protocols, each after its length, behind the length of all; the context refers to it.
    private let offer: UnsafeMutableBufferPointer<UInt8>
    /// Whether a session tells the client that it ends, or just ends the connection.
    fileprivate let announcesEnd: Bool

    static var isAvailable: Bool { LibSSL.found != nil && OpenSSL.isAvailable }

    /// Its raw value is that of <openssl/tls1.h>.
    enum Version: Int, Sendable {
        case tls12 = 0x0303
        case tls13 = 0x0304
    }

    /// - Parameters:
    ///   - alpn: the protocols that are accepted, such as "h2" and "http/1.1", the preferred one first; any if empty.
    ///   - version: the only version of TLS; nil for all.
    init(
        _ identity: TestAuthority.Identity,
        alpn: [String],
        only version: Version? = nil,
        announcesEnd: Bool = true
    ) throws {
        guard let calls = LibSSL.found, let context = calls.newContext(calls.serverMethod()) else {
            throw ServerFailure(step: "libssl")
        }
        (self.calls, self.context, self.announcesEnd) = (calls, context, announcesEnd)
        let names = alpn.flatMap { [UInt8($0.utf8.count)] + $0.utf8 }
        offer = .allocate(capacity: names.count + 1)
        _ = offer.initialize(from: [UInt8(names.count)] + names)
        let pem: Int32 = 1
        guard calls.useCertificate(context, identity.certificate, pem) == 1,
            calls.useKey(context, identity.key, pem) == 1
        else { throw ServerFailure(step: "the certificate") }
        if let version {
            // SSL_CTRL_SET_MIN_PROTO_VERSION and SSL_CTRL_SET_MAX_PROTO_VERSION.
            for limit in [123, 124] as [Int32] { _ = calls.control(context, limit, version.rawValue, nil) }
        }
        guard !alpn.isEmpty else { return }
        calls.setSelection(
            context,
            { _, chosen, count, offered, offeredCount, own in
                guard let own, let select = LibSSL.found?.select else { return 3 }
                let list = own.assumingMemoryBound(to: UInt8.self)
                let isFound = select(chosen, count, list + 1, UInt32(list[0]), offered, offeredCount) == 1
                return isFound ? 0 : 3
            },
            UnsafeMutableRawPointer(offer.baseAddress)
        )
    }

    deinit {
        calls.freeContext(context)
        offer.deallocate()
    }

    fileprivate func newSession() -> OpaquePointer? { calls.newSession(context) }
}

/// The server's side of TLS on a socket that does not block. The handshake comes with the first read.
// Safe: only the connection's own thread uses it.
final class TLSSession: @unchecked Sendable {
    private let context: TLSContext
    private let session: OpaquePointer

    init?(_ context: TLSContext, on socket: Int32) {
        guard let session = context.newSession() else { return nil }
        (self.context, self.session) = (context, session)
        _ = context.calls.setSocket(session, socket)
        context.calls.accept(session)
    }

    deinit { context.calls.freeSession(session) }

    /// Like `recv`.
    func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        Self.blockBrokenPipe()
        return result(context.calls.read(session, bytes.baseAddress, Int32(bytes.count)))
    }

    /// Like `send`.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        Self.blockBrokenPipe()
        return result(context.calls.write(session, bytes.baseAddress, Int32(bytes.count)))
    }

    /// Tells the client that nothing follows.
    func end() {
        Self.blockBrokenPipe()
        if context.announcesEnd { _ = context.calls.shutDown(session) }
    }

    private func result(_ count: Int32) -> Int {
        guard count <= 0 else { return Int(count) }
        switch context.calls.error(session, count) {
        // SSL_ERROR_WANT_READ and SSL_ERROR_WANT_WRITE.
        case 2, 3: errno = EAGAIN
        // SSL_ERROR_ZERO_RETURN.
        case 6: return 0
        default: errno = ECONNRESET
        }
        return -1
    }

    /// For this thread: OpenSSL writes to a socket without the flag that prevents the signal.
    private static func blockBrokenPipe() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(Int32(SIG_BLOCK), &signals, nil)
    }
}

/// The functions of libssl, looked up at run time.
private struct LibSSL: Sendable {
    typealias Selection =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
            UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
        ) -> Int32

    let serverMethod: @Sendable @convention(c) () -> OpaquePointer?
    let newContext: @Sendable @convention(c) (OpaquePointer?) -> OpaquePointer?
    let freeContext: @Sendable @convention(c) (OpaquePointer) -> Void
    let useCertificate: @Sendable @convention(c) (OpaquePointer, UnsafePointer<CChar>, Int32) -> Int32
    let useKey: @Sendable @convention(c) (OpaquePointer, UnsafePointer<CChar>, Int32) -> Int32
    let control: @Sendable @convention(c) (OpaquePointer, Int32, Int, UnsafeMutableRawPointer?) -> Int
    let setSelection: @Sendable @convention(c) (OpaquePointer, Selection, UnsafeMutableRawPointer?) -> Void
    let select:
        @Sendable @convention(c) (
            UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>, UInt32,
            UnsafePointer<UInt8>?, UInt32
        ) -> Int32
    let newSession: @Sendable @convention(c) (OpaquePointer) -> OpaquePointer?
    let freeSession: @Sendable @convention(c) (OpaquePointer) -> Void
    let setSocket: @Sendable @convention(c) (OpaquePointer, Int32) -> Int32
    let accept: @Sendable @convention(c) (OpaquePointer) -> Void
    let read: @Sendable @convention(c) (OpaquePointer, UnsafeMutableRawPointer?, Int32) -> Int32
    let write: @Sendable @convention(c) (OpaquePointer, UnsafeRawPointer?, Int32) -> Int32
    let error: @Sendable @convention(c) (OpaquePointer, Int32) -> Int32
    let shutDown: @Sendable @convention(c) (OpaquePointer) -> Int32

    static let found = LibSSL()

    /// Nil where there is no such library.
    private init?() {
        guard let library = dlopen("libssl.so.3", RTLD_NOW) else { return nil }
        // The library has them all since its version 1.1, and their types are those of the header.
        func call<Call>(_ name: String) -> Call { unsafeBitCast(dlsym(library, name), to: Call.self) }
        serverMethod = call("TLS_server_method")
        newContext = call("SSL_CTX_new")
        freeContext = call("SSL_CTX_free")
        useCertificate = call("SSL_CTX_use_certificate_file")
        useKey = call("SSL_CTX_use_PrivateKey_file")
        control = call("SSL_CTX_ctrl")
        setSelection = call("SSL_CTX_set_alpn_select_cb")
        select = call("SSL_select_next_proto")
        newSession = call("SSL_new")
        freeSession = call("SSL_free")
        setSocket = call("SSL_set_fd")
        accept = call("SSL_set_accept_state")
        read = call("SSL_read")
        write = call("SSL_write")
        error = call("SSL_get_error")
        shutDown = call("SSL_shutdown")
    }
}
#endif
