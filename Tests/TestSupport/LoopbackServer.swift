import Cofferdam
import Foundation

/// An HTTP server on the loopback that takes one request from each connection.
package final class LoopbackServer: Sendable {
    package typealias Answer = @Sendable (_ request: String) -> (status: Int, body: String)

    private struct Script {
        /// The whole response to a request.
        var answer: @Sendable (_ request: String) -> String
    }

    private let socket: LoopbackSocket
    private let script = Mutex(Script { _ in response(404, "") })

    package init() throws {
        socket = try LoopbackSocket()
        let thread = Thread { [socket, weak self] in
            while true {
                let connection = accept(socket.descriptor, nil, nil)
                guard connection >= 0 else { return }
                self?.answer(connection)
                close(connection)
            }
        }
        thread.start()
    }

    deinit { end() }

    package var address: String { "127.0.0.1:\(socket.port)" }

    /// Sets the answer from now on.
    package func answers(_ answer: @escaping Answer) {
        answers(whole: { request in
            let (status, body) = answer(request)
            return Self.response(status, body)
        })
    }

    /// Sets the whole response from now on: its status line, its fields and its body.
    package func answers(whole answer: @escaping @Sendable (_ request: String) -> String) {
        script.withLock { $0.answer = answer }
    }

    private static func response(_ status: Int, _ body: String) -> String {
        "HTTP/1.1 \(status) Said\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    /// Gives no answer from now on.
    package func end() { shutdown(socket.descriptor, Int32(SHUT_RDWR)) }

    private func answer(_ connection: Int32) {
        let bytes = Array(script.withLock { $0.answer }(Self.request(connection)).utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Head and body.
    private static func request(_ connection: Int32) -> String {
        var (bytes, block) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.firstRange(of: "\r\n\r\n") {
                let length = text[..<end.lowerBound].lowercased().firstMatch(of: /content-length: (\d+)/)
                let missing = (length.flatMap { Int($0.1) } ?? 0) - text[end.upperBound...].utf8.count
                if missing <= 0 { return text }
            }
            let count = recv(connection, &block, block.count, 0)
            guard count > 0 else { return text }
            bytes += block.prefix(count)
        }
    }
}
