#if Server
    import Dispatch
    import Foundation
    import TestSupport

    /// A connection on the loopback whose bytes a test writes by hand.
    final class RawConnection: Sendable {
        private let descriptor: Int32

        init(port: Int) throws {
            #if canImport(Glibc)
                descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #else
                descriptor = socket(AF_INET, SOCK_STREAM, 0)
            #endif
            // Only a test that fails waits so long.
            var limit = timeval(tv_sec: 20, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
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

        /// What the server sends, until it closes the connection or the condition holds.
        func receive(until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }) async throws -> String {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async { [descriptor] in
                    var (bytes, block) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
                    while !isEnough(String(decoding: bytes, as: UTF8.self)) {
                        let count = recv(descriptor, &block, block.count, 0)
                        if count < 0, errno != ECONNRESET {
                            return continuation.resume(throwing: TestError("nothing came: \(errno)"))
                        }
                        guard count > 0 else { break }
                        bytes += block.prefix(count)
                    }
                    continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
                }
            }
        }
    }
#endif
