import Cofferdam
import CofferdamFleet

/// An instance of a fleet, as Prometheus sees it: `/metrics` on the loopback.
final class ScrapedInstance: Sendable {
    private let server: LoopbackServer
    private let served: Mutex<TextMetrics>
    private let booted: Mutex<EvidenceExporter>

    init() throws {
        let metrics = TextMetrics()
        booted = Mutex(EvidenceExporter(factory: metrics, boot: "1"))
        served = Mutex(metrics)
        server = try LoopbackServer()
        server.answers { [weak self] _ in (200, self?.served.withLock { $0.text } ?? "") }
    }

    var name: String { server.address }
    var exporter: EvidenceExporter { booted.withLock { $0 } }

    /// The process begins again, with nothing counted.
    func restart(boot: String) {
        let metrics = TextMetrics()
        booted.withLock { $0 = EvidenceExporter(factory: metrics, boot: boot) }
        served.withLock { $0 = metrics }
    }

    /// From now on nobody answers.
    func end() { server.end() }
}
