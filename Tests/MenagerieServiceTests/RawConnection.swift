#if Sandbox
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The bytes received over a connection, and how it ended.
struct RawExchange: Sendable {
    enum Ending: Sendable, Hashable { case closed, reset, stillOpen }

    var bytes: [UInt8] = []
    var ending = Ending.stillOpen

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The head's lines, and the bytes after the empty one.
    var parts: (head: [String], body: [UInt8]) {
        let mark = Array("\r\n\r\n".utf8)
        for index in bytes.indices where bytes[index...].starts(with: mark) {
            let head = String(decoding: bytes[..<index], as: UTF8.self).components(separatedBy: "\r\n")
            return (head, Array(bytes[(index + 4)...]))
        }
        return ([], [])
    }

    func header(_ name: String) -> String? {
        let line = parts.head.first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
        return line.map { String($0.dropFirst(name.count + 2)) }
    }
}

struct SocketError: Error { let number: Int32 }

/// Sends a request as it is, and reads until the connection ends or `isEnough`, for ten seconds at most.
func rawExchange(
    port: UInt16,
    _ request: String,
    isEnough: @escaping @Sendable (RawExchange) -> Bool = { _ in false }
) async throws -> RawExchange {
    try await withCheckedThrowingContinuation { continuation in
        // The threads of tasks are those of Dispatch: a few that wait here would hold up all tests.
        Thread { continuation.resume(with: Result { try blockingExchange(port, request, isEnough) }) }.start()
    }
}

private func blockingExchange(
    _ port: UInt16,
    _ request: String,
    _ isEnough: (RawExchange) -> Bool
) throws -> RawExchange {
    #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw SocketError(number: errno) }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard connected == 0 else { throw SocketError(number: errno) }
    let bytes = Array(request.utf8)
    guard send(descriptor, bytes, bytes.count, 0) == bytes.count else { throw SocketError(number: errno) }
    var exchange = RawExchange()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !isEnough(exchange) {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 {
            exchange.bytes += buffer[..<count]
        } else if count == 0 {
            exchange.ending = .closed
            break
        } else if errno == ECONNRESET {
            exchange.ending = .reset
            break
        } else {
            throw SocketError(number: errno)
        }
    }
    return exchange
}
#endif
