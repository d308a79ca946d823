#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A socket on a free loopback port that takes connections and never sends anything.
struct LoopbackListener: ~Copyable {
    let port: Int
    private let socket: Int32

    init() throws {
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        let descriptor = Self.open(stream)
        guard descriptor >= 0 else { throw TransportFailure("no socket: error \(errno)") }
        // The kernel completes the connections; they are never accepted.
        guard let port = Self.bind(descriptor), listen(descriptor, 4096) == 0 else {
            let error = errno
            close(descriptor)
            throw TransportFailure("no port on loopback: error \(error)")
        }
        socket = descriptor
        self.port = port
    }

    deinit { close(socket) }

    /// Returns a port that was free a moment ago.
    static func freePort() throws -> Int { try LoopbackListener().port }

    private static func open(_ type: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.socket(AF_INET, type | Int32(SOCK_CLOEXEC.rawValue), 0)
        #elseif canImport(Musl)
        Musl.socket(AF_INET, type | SOCK_CLOEXEC, 0)
        #else
        Darwin.socket(AF_INET, type, 0)
        #endif
    }

    private static func bind(_ descriptor: Int32) -> Int? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            guard let raw = bytes.baseAddress else { return nil }
            let general = raw.assumingMemoryBound(to: sockaddr.self)
            #if canImport(Glibc)
            let bound = Glibc.bind(descriptor, general, length)
            #elseif canImport(Musl)
            let bound = Musl.bind(descriptor, general, length)
            #else
            let bound = Darwin.bind(descriptor, general, length)
            #endif
            guard bound == 0, getsockname(descriptor, general, &length) == 0 else { return nil }
            return Int(UInt16(bigEndian: raw.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port))
        }
    }
}
