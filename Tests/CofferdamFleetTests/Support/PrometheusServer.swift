import CofferdamCurl
import CofferdamFleet
import Foundation
import HTTPTypes
import Testing

/// A real Prometheus on the loopback, which scrapes instances five times a second.
final class PrometheusServer: Sendable {
    static let job = "shop"
    private let folder: TemporaryFolder
    private let process: ServerProcess
    private let endpoint: String
    let client = CurlClient()

    static func with(_ instances: [ScrapedInstance], _ body: (PrometheusServer) async throws -> Void) async throws {
        let server = try PrometheusServer(instances)
        defer { server.process.end() }
        try await eventually("Prometheus at \(server.endpoint), which \(server.process.account)") {
            let request = try HTTPRequest(.get, url: server.endpoint + "/-/ready")
            return (try? await server.client.send(request))?.head.status == .ok
        }
        try await body(server)
    }

    private init(_ instances: [ScrapedInstance]) throws {
        folder = try TemporaryFolder()
        let targets = instances.map { "'\($0.name)'" }.joined(separator: ", ")
        try """
        global: {scrape_interval: 200ms, scrape_timeout: 200ms}
        scrape_configs:
          - job_name: \(Self.job)
            static_configs: [{targets: [\(targets)]}]
        """.write(toFile: folder.path + "/prometheus.yml", atomically: true, encoding: .utf8)
        let address = "127.0.0.1:\(try LoopbackSocket.freePort())"
        endpoint = "http://\(address)"
        process = try ServerProcess(
            try #require(Programs.prometheus),
            [
                "--config.file=\(folder.path)/prometheus.yml", "--storage.tsdb.path=\(folder.path)/data",
                "--web.listen-address=\(address)", "--log.level=error",
            ],
            log: folder.path + "/log"
        )
    }

    func evidence(from instances: [ScrapedInstance]) -> PrometheusEvidence {
        var evidence = PrometheusEvidence(
            endpoint: endpoint,
            client: client,
            job: Self.job,
            instances: Set(instances.map(\.name))
        )
        evidence.freshness = 2
        return evidence
    }
}
