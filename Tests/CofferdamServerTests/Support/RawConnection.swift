#if Server
import Foundation
import TestSupport

/// A connection on the loopback whose bytes a test writes by hand.
final class RawConnection: Sendable {
    private let descriptor: Int32

    /// - Parameter source: the address that it comes from, on systems whose loopback has several.
    init(port: Int, from source: String? = nil) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        // Only a test that fails waits so long.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        #if os(Linux)
        if let source {
            var own = sockaddr_in()
            own.sin_family = sa_family_t(AF_INET)
            own.sin_addr.s_addr = inet_addr(source)
            _ = withUnsafePointer(to: &own) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw TestError("no connection: \(errno)") }
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw TestError("not sent: \(errno)")
        }
    }

    /// Whether the server has neither closed it nor reset it.
    var isOpen: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count > 0 || count < 0 && errno == EAGAIN
    }

    /// Says that no more will be sent.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes the end, when the last reference goes, a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    /// What the server sends, until it closes the connection or the condition holds.
    func receive(until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }) async throws -> String {
        // The threads of tasks are those of Dispatch: a few that wait here would hold up all tests.
        let received = await onOwnThread { [descriptor] () -> Result<String, TestError> in
            var (bytes, block) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
            while !isEnough(String(decoding: bytes, as: UTF8.self)) {
                let count = recv(descriptor, &block, block.count, 0)
                if count < 0, errno != ECONNRESET { return .failure(TestError("nothing came: \(errno)")) }
                guard count > 0 else { break }
                bytes += block.prefix(count)
            }
            return .success(String(decoding: bytes, as: UTF8.self))
        }
        return try received.get()
    }
}
#endif
