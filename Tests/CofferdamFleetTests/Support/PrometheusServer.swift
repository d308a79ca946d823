#if Fleet
import CofferdamCurl
import CofferdamFleet
import Foundation
import HTTPTypes
import Testing
import UpgradeTestSupport
import TestSupport

/// A real Prometheus on the loopback, which scrapes instances five times a second.
final class PrometheusServer: Sendable {
    static let job = "shop"
    private let folder: TemporaryFolder
    private let process: ServerProcess
    let endpoint: String
    let client = CurlClient()

    /// - Parameter users: the bcrypt hash of each user's password; if empty, queries need no credentials.
    static func with(
        _ instances: [ScrapedInstance],
        users: [String: String] = [:],
        _ body: (PrometheusServer) async throws -> Void
    ) async throws {
        try await with(targets: instances.map(\.name), users: users, body)
    }

    /// - Parameter token: the token that the targets require; nil if they require none.
    static func with(
        targets: [String],
        token: String? = nil,
        users: [String: String] = [:],
        _ body: (PrometheusServer) async throws -> Void
    ) async throws {
        let server = try await PrometheusServer(targets, token, users)
        try await eventually("Prometheus at \(server.endpoint), which \(server.process.account)") {
            let request = try HTTPRequest(.get, url: server.endpoint + "/-/ready")
            let status = (try? await server.client.send(request))?.head.status
            return status == .ok || status == .unauthorized
        }
        try await body(server)
        try await server.process.end()
    }

    private init(_ targets: [String], _ token: String?, _ users: [String: String]) async throws {
        folder = try TemporaryFolder()
        let targets = targets.map { "'\($0)'" }.joined(separator: ", ")
        let authorization = token.map { "authorization: {credentials: '\($0)'}" } ?? ""
        try """
        global: {scrape_interval: 200ms, scrape_timeout: 200ms}
        scrape_configs:
          - job_name: \(Self.job)
            static_configs: [{targets: [\(targets)]}]
            \(authorization)
        """.write(toFile: folder.path + "/prometheus.yml", atomically: true, encoding: .utf8)
        try """
        basic_auth_users: {\(users.map { "\($0.key): '\($0.value)'" }.joined(separator: ", "))}
        """.write(toFile: folder.path + "/web.yml", atomically: true, encoding: .utf8)
        let address = "127.0.0.1:\(try LoopbackSocket.freePort())"
        endpoint = "http://\(address)"
        process = try await ServerProcess(
            try #require(Programs.prometheus),
            [
                "--config.file=\(folder.path)/prometheus.yml", "--storage.tsdb.path=\(folder.path)/data",
                "--web.config.file=\(folder.path)/web.yml", "--web.listen-address=\(address)", "--log.level=error",
            ],
            log: folder.path + "/log"
        )
    }

    func evidence(
        from instances: [ScrapedInstance],
        as authorization: PrometheusAuthorization? = nil
    ) -> PrometheusEvidence {
        evidence(from: Set(instances.map(\.name)), as: authorization)
    }

    func evidence(
        from instances: Set<String>,
        as authorization: PrometheusAuthorization? = nil
    ) -> PrometheusEvidence {
        var evidence = PrometheusEvidence(
            endpoint: endpoint,
            client: client,
            authorization: authorization,
            job: Self.job,
            instances: instances
        )
        evidence.freshness = 2
        return evidence
    }
}
#endif
