#if Server
import Cofferdam
import CofferdamCurl
import CofferdamDevice
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Logging
import Testing
import TestSupport
@testable import CofferdamServer

/// A server on loopback with its own file, and a clock that stands still.
final class TestServer: Sendable {
    /// One token for each role, with the role's name.
    static let tokens = [ServerRole: String](
        uniqueKeysWithValues: ServerRole.allCases.map { ($0, "secret-of-\($0.rawValue)") }
    )

    let folder: String
    let clock = TestClock()
    /// Milliseconds since 1970.
    let time = Mutex<Int64>(1_800_000_000_000)
    let client = CurlClient()
    let log = LogLines()
    private let running = Mutex<ControlPlane?>(nil)
    /// The port of the first start, which later starts reuse.
    private let port = Mutex(0)
    private let change: @Sendable (inout ControlPlaneConfiguration) -> Void

    init(_ change: @escaping @Sendable (inout ControlPlaneConfiguration) -> Void = { _ in }) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "server-\(UUID())").path
        self.change = change
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// Starts a server with one capability, "orders", and stops it after the body.
    static func with(
        _ change: @escaping @Sendable (inout ControlPlaneConfiguration) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let server = try TestServer(change)
        let result: Result<Void, any Error>
        do {
            try await server.start()
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        await server.stop()
        removeFolder(server.folder)
        try result.get()
    }

    var plane: ControlPlane {
        get throws { try #require(running.withLock { $0 }) }
    }

    func start() async throws {
        let entries = Self.tokens.map { AccessTokens.Entry(name: $0.key.rawValue, role: $0.key, token: $0.value) }
        var configuration = ControlPlaneConfiguration(
            database: folder + "/upgrades.sqlite",
            tokens: try AccessTokens(entries),
            capabilities: [HostedCapability("orders", plan: .small)]
        )
        configuration.clock = clock
        configuration.now = { [weak self] in self?.time.withLock { $0 } ?? 0 }
        change(&configuration)
        let logger = Logger(label: "test") { _ in self.log.handler }
        let known = port.withLock { $0 }
        var attempts = 0
        while running.withLock({ $0 }) == nil {
            attempts += 1
            // One that the system gives to no connection, so that it is free when a later start needs it.
            let wanted = known == 0 ? try LoopbackSocket.freePort() : known
            configuration.port = wanted
            do {
                let plane = try await ControlPlane.start(configuration, logger: logger)
                running.withLock { $0 = plane }
                port.withLock { $0 = plane.port }
            } catch let error as ControlPlaneError where error.code == .cannotListen && attempts < 200 {
                // A program that another test is starting has all descriptors, and so the port, for a moment.
                await until { (try? LoopbackSocket(port: wanted)) != nil }
            }
        }
    }

    func stop() async {
        let plane = running.withLock { plane in
            defer { plane = nil }
            return plane
        }
        await plane?.stop()
    }

    // MARK: Requests

    struct Answer: Sendable {
        var status: Int
        var headers: HTTPFields
        var text: String

        func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            try JSONDecoder().decode(type, from: Data(text.utf8))
        }

        /// The code of a refusal.
        var code: String? { try? json(Problem.self).error.code }
        var message: String? { try? json(Problem.self).error.message }
    }

    struct Problem: Decodable {
        struct Fields: Decodable {
            var code: String
            var message: String
            var reasons: [String]?
        }
        var error: Fields
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        as role: ServerRole?,
        _ body: String? = nil,
        headers: HTTPFields = [:]
    ) async throws -> Answer {
        var headers = headers
        if let role, let token = Self.tokens[role] { headers[.authorization] = "Bearer \(token)" }
        if body != nil, headers[.contentType] == nil { headers[.contentType] = "application/json" }
        let request = try HTTPRequest(method, url: try plane.url + path, headerFields: headers)
        let reply = try await client.send(request, body: body.map { .bytes(Array($0.utf8)) } ?? .empty)
        return Answer(
            status: reply.head.status.code,
            headers: reply.head.headerFields,
            text: String(decoding: Array(reply.body), as: UTF8.self)
        )
    }

    func get(_ path: String, as role: ServerRole? = .reader, headers: HTTPFields = [:]) async throws -> Answer {
        try await send(.get, path, as: role, headers: headers)
    }

    func post(_ path: String, as role: ServerRole? = .operator, _ body: String) async throws -> Answer {
        try await send(.post, path, as: role, body)
    }

    /// The events that an open page receives.
    func live() async throws -> CurlStream {
        let token = try #require(Self.tokens[.reader])
        let headers: HTTPFields = [.authorization: "Bearer \(token)"]
        return try await client.stream(HTTPRequest(.get, url: try plane.url + "/live", headerFields: headers))
    }

    /// Moves the upgrade of "orders", on the basis of its present stage.
    ///
    /// - Parameter fields: of the body; nil for a reason only, and `advance` then needs neither a baseline nor the gate.
    @discardableResult
    func order(
        _ move: String,
        _ fields: String? = nil,
        as role: ServerRole = .operator
    ) async throws -> Answer {
        let fields = fields ?? #""reason": "a test""# + (move == "advance" ? #", "despiteGate": true"# : "")
        return try await post("/v1/capabilities/orders/\(move)", as: role, "{\(fields), \(try seen())}")
    }

    /// The present stage, as the field of a request that is based on it.
    func seen() throws -> String {
        let stage = try #require(try plane.parts.hub.stage(of: "orders"))
        return #""from": {"stage": "\#(stage.stage.rawValue)", "revision": \#(stage.revision)}"#
    }

    /// Posts reports of devices.
    @discardableResult
    func report(_ reports: [EvidenceReport]) async throws -> Answer {
        struct Post: Encodable { var reports: [EvidenceReport] }
        let body = String(decoding: try JSONEncoder().encode(Post(reports: reports)), as: UTF8.self)
        return try await post("/v1/capabilities/orders/evidence", as: .device, body)
    }

    /// The status of "orders", as people and tools read it.
    func status() async throws -> CapabilityStatus { try await get("/v1/capabilities/orders").json() }

    /// The counts of "orders", as the gate reads them.
    func reading() async throws -> GateReading {
        let upgrade = try #require(try plane.parts.upgrades["orders"])
        let state = try await upgrade.status().state
        return try await upgrade.evidence.reading(of: state, afterSeconds: 60)
    }
}

/// Keeps every line of a log.
final class LogLines: Sendable {
    private let kept = Mutex<[String]>([])

    var text: String { kept.withLock { $0.joined(separator: "\n") } }
    var handler: some LogHandler { Handler(lines: self) }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(lines: LogLines) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.kept.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }
}
#endif
