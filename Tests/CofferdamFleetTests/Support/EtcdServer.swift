#if Fleet
import Cofferdam
import CofferdamCurl
import UpgradeTestSupport
@testable import CofferdamFleet
import Foundation
import HTTPTypes
import Testing
import TestSupport

/// A real etcd on the loopback.
final class EtcdServer: Sendable {
    private let folder: TemporaryFolder
    private let port: Int
    private let process: Mutex<ServerProcess>
    private let isSynchronous: Bool
    private let authority: TestAuthority?
    let client: CurlClient

    var endpoint: String { Self.endpoint(port, authority) }

    private static func endpoint(_ port: Int, _ authority: TestAuthority?) -> String {
        "\(authority == nil ? "http" : "https")://127.0.0.1:\(port)"
    }

    /// - Parameters:
    ///   - isSynchronous: whether it writes to disk before it answers; for tests that kill it.
    ///   - authority: if given, etcd speaks TLS, and only with clients that have a certificate of this authority.
    static func with(
        isSynchronous: Bool = false,
        authority: TestAuthority? = nil,
        _ body: (EtcdServer) async throws -> Void
    ) async throws {
        let server = try await EtcdServer(isSynchronous: isSynchronous, authority)
        try await server.waitUntilReady()
        try await body(server)
        try await server.kill()
    }

    private init(isSynchronous: Bool, _ authority: TestAuthority?) async throws {
        folder = try TemporaryFolder()
        port = try LoopbackSocket.freePort()
        (self.isSynchronous, self.authority) = (isSynchronous, authority)
        client = CurlClient(configuration: try await authority?.clientConfiguration() ?? .init())
        process = Mutex(try await Self.launch(folder.path, port, isSynchronous, authority, token: "one"))
    }

    private static func launch(
        _ folder: String,
        _ port: Int,
        _ isSynchronous: Bool,
        _ authority: TestAuthority?,
        token: String
    ) async throws -> ServerProcess {
        let own = endpoint(port, authority)
        let identity = try await authority?.issue("server")
        return try await ServerProcess(
            try #require(Programs.etcd),
            [
                "--data-dir", folder + "/data", "--listen-client-urls", own, "--advertise-client-urls", own,
                "--listen-peer-urls", "http://127.0.0.1:0", "--initial-cluster-token", token, "--log-outputs", "stderr",
            ] + (isSynchronous ? [] : ["--unsafe-no-fsync"])
                + (identity.map {
                    [
                        "--cert-file", $0.certificate, "--key-file", $0.key, "--client-cert-auth",
                        "--trusted-ca-file", $0.authority,
                    ]
                } ?? []),
            log: folder + "/log"
        )
    }

    private func waitUntilReady() async throws {
        try await eventually("etcd at \(endpoint), which \(process.withLock(\.account))") {
            await isHealthy()
        }
    }

    private func isHealthy() async -> Bool {
        guard let request = try? HTTPRequest(.get, url: endpoint + "/health") else { return false }
        let options = client.options.with { $0.timeouts.whole = .seconds(1) }
        return (try? await client.send(request, options: options))?.head.status == .ok
    }

    // MARK: Faults

    func kill() async throws { try await process.withLock(\.self).end() }

    /// Stops answering, and loses nothing. The signal takes a moment: one more answer may come.
    func suspend() async throws {
        process.withLock { $0.send(SIGSTOP) }
        try await eventually("etcd stands still") { await !isHealthy() }
    }
    func resume() { process.withLock { $0.send(SIGCONT) } }

    func restart(token: String = "one") async throws {
        try await kill()
        let started = try await Self.launch(folder.path, port, isSynchronous, authority, token: token)
        process.withLock { $0 = started }
        try await waitUntilReady()
    }

    /// Restarts without any data.
    func restartEmpty(token: String = "one") async throws {
        try await kill()
        try FileManager.default.removeItem(atPath: folder.path + "/data")
        try await restart(token: token)
    }

    // MARK: Requests

    func configuration(_ change: (inout EtcdConfiguration) -> Void = { _ in }) -> EtcdConfiguration {
        var configuration = EtcdConfiguration(endpoints: [endpoint], prefix: "/apps/shop")
        change(&configuration)
        return configuration
    }

    func store(_ change: (inout EtcdConfiguration) -> Void = { _ in }) -> EtcdUpgradeStore {
        EtcdUpgradeStore(configuration(change), client: client)
    }

    /// Writes as a person would, with a tool.
    func post(_ path: String, _ body: [String: String]) async throws {
        let request = try HTTPRequest(.post, url: endpoint + path)
        let reply = try await client.send(request, body: .bytes([UInt8](try JSONEncoder().encode(body))))
        try #require(reply.head.status == .ok, "\(path): \(String(decoding: Array(reply.body), as: UTF8.self))")
    }

    func put(_ key: String, _ value: String) async throws {
        try await post("/v3/kv/put", ["key": Self.base64(key), "value": Self.base64(value)])
    }

    func delete(_ key: String) async throws { try await post("/v3/kv/deleterange", ["key": Self.base64(key)]) }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
}

extension Trait where Self == ConditionTrait {
    static var needsEtcd: Self {
        .enabled(if: Programs.etcd != nil, "etcd is not installed: ./dev setup fleet")
    }
}
#endif
