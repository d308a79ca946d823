import Cofferdam
import CofferdamFleet
import Foundation

/// An instance of a fleet, as Prometheus sees it: `/metrics` on the loopback.
final class ScrapedInstance: Sendable {
    private let socket: LoopbackSocket
    private let served = Mutex(TextMetrics())
    private let booted: Mutex<EvidenceExporter>

    init() throws {
        socket = try LoopbackSocket()
        let metrics = TextMetrics()
        booted = Mutex(EvidenceExporter(factory: metrics, boot: "1"))
        served.withLock { $0 = metrics }
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

    var name: String { "127.0.0.1:\(socket.port)" }
    var exporter: EvidenceExporter { booted.withLock { $0 } }

    /// The process begins again, with nothing counted.
    func restart(boot: String) {
        let metrics = TextMetrics()
        booted.withLock { $0 = EvidenceExporter(factory: metrics, boot: boot) }
        served.withLock { $0 = metrics }
    }

    /// From now on nobody answers.
    func end() { shutdown(socket.descriptor, Int32(SHUT_RDWR)) }

    private func answer(_ connection: Int32) {
        var request = [UInt8](repeating: 0, count: 4096)
        _ = recv(connection, &request, request.count, 0)
        let text = served.withLock { $0.text }
        let reply = "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n" + text
        let bytes = Array(reply.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }
}
