import Foundation
import Testing

/// A listening socket on the loopback, closed when it is dropped.
package final class LoopbackSocket: Sendable {
    package let descriptor: Int32
    package let port: Int

    /// - Parameter port: 0 for any free port.
    package init(port: Int = 0) throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        self.descriptor = descriptor
        try #require(descriptor >= 0)
        // A program that another test starts meanwhile would hold the port.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, size) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, generic, &size) == 0
            }
        }
        self.port = Int(in_port_t(bigEndian: address.sin_port))
        guard isBound else { throw TestError("port \(port) is not available") }
    }

    deinit { close(descriptor) }

    /// Returns a port that was free a moment ago, below the range that systems use for outgoing connections. No other
    /// process gets it meanwhile, nor while its server is down.
    package static func freePort() throws -> Int {
        var refusal: any Error = TestError("no port was tried")
        for port in (10_000..<32_000).shuffled().prefix(100) {
            do { return try LoopbackSocket(port: port).port } catch { refusal = error }
        }
        throw refusal
    }
}
