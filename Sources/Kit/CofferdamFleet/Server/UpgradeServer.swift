#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import CofferdamCurl  // sends requests through its CurlClient
public import CofferdamUpgrade  // publishes its reports
import HTTPTypes

/// The address of a `cofferdam-server`, and the token that identifies the app. Its description does not contain the
/// token.
///
/// ```swift
/// let server = UpgradeServer("https://upgrades.example.com", token: token, client: client)
/// let store = ServerUpgradeStore(server)
/// let evidence = try ServerEvidence(server, file: directory + "/evidence.json", salt: salt)
/// let engine = UpgradeEngine("orders", plan: plan, store: store, control: control, recorder: recorder) {
///     $0.evidenceStore = evidence
///     $0.watching = store
///     $0.settings.pollInterval = .seconds(60)  // a kill switch arrives by the watch
/// }
/// ```
///
/// Run `engine.run()` and ``ServerEvidence/run()`` while the app runs. The server's gate decides; the engine on the
/// device follows it, and a state that it cannot refresh becomes stale and expires as in a fleet.
public struct UpgradeServer: Sendable, CustomStringConvertible, CustomReflectable {
    /// The address: "https://upgrades.example.com".
    public let address: String
    private let token: String
    let client: CurlClient
    /// The timeout of one request; a long poll may take its wait in addition.
    public var timeout: Duration = .seconds(10)

    /// - Parameter token: with the role `device`, or `operator` to publish reports.
    public init(_ address: String, token: String, client: CurlClient) {
        self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
        (self.token, self.client) = (token, client)
    }

    /// The address, without the token.
    public var description: String { address }
    /// Shows the address and hides the token.
    public var customMirror: Mirror { Mirror(self, children: ["address": address]) }

    // MARK: Requests

    /// Returns the stage, or nil if it still has that tag.
    ///
    /// - Parameter wait: how long the server may wait for a new stage, in seconds.
    /// - Throws: `UpgradeStoreError`, `CancellationError`.
    func stage(of capability: String, known tag: String?, wait: Int = 0) async throws -> ServedStage? {
        var fields: HTTPFields = [:]
        if let tag { fields[.ifNoneMatch] = tag }
        let path = "stage" + (wait > 0 ? "?wait=\(wait)" : "")
        let reply = try await send(.get, "/\(capability)/\(path)", of: capability, fields, [], wait: .seconds(wait))
        if reply.status == 304, tag != nil { return nil }
        guard reply.status == 200 else { throw refusal(reply, capability) }
        return try decode(ServedStage.self, reply, capability)
    }

    /// The outcome of posting a report.
    enum Receipt: Sendable { case taken, refused(UpgradeStoreError) }

    /// Posts a report.
    ///
    /// - Returns: `refused` if the server will never accept it.
    /// - Throws: `UpgradeStoreError`, `CancellationError`.
    func post(_ report: EvidenceReport, of capability: String) async throws -> Receipt {
        struct Post: Encodable { var reports: [EvidenceReport] }
        let bytes: [UInt8]
        do { bytes = Array(try JSONEncoder().encode(Post(reports: [report]))) } catch {
            return .refused(
                UpgradeStoreError(.unreadable, "the report cannot be encoded", subject: capability, cause: error)
            )
        }
        let fields: HTTPFields = [.contentType: "application/json"]
        let reply = try await send(.post, "/\(capability)/evidence", of: capability, fields, bytes)
        switch reply.status {
        case 200: return .taken
        case 400, 413: return .refused(refusal(reply, capability))
        default: throw refusal(reply, capability)
        }
    }

    /// Publishes a report for the console, which replaces the last one of its kind. The token needs the role
    /// `operator`.
    ///
    /// - Throws: `UpgradeStoreError`, with the server's message; `CancellationError`.
    public func publish(_ report: TeamReport) async throws {
        var fields: HTTPFields = [.contentType: "application/json"]
        // So that a repeated request does not replace a report published in the meantime.
        if let name = HTTPField.Name("Idempotency-Key") { fields[name] = UpgradeEngine.randomID() }
        let path = "/\(report.capability)/\(report.kind.rawValue)"
        let answer = try await send(.put, path, of: report.capability, fields, report.json)
        guard answer.status == 200 else { throw refusal(answer, report.capability) }
    }

    /// A server's answer.
    struct Answer: Sendable {
        var head: HTTPResponse
        var body: [UInt8]
        var status: Int { head.status.code }
    }

    /// - Parameters:
    ///   - path: below `/v1/capabilities`.
    ///   - subject: the subject of an error.
    ///   - wait: how long the server may take on top of the timeout.
    ///   - attempts: sends the request again when it fails; nil to send it once.
    /// - Throws: `UpgradeStoreError`, with `outcomeUnknown` for a change with `attempts` that the server may have seen;
    ///   `CancellationError`.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        of subject: String,
        _ fields: HTTPFields = [:],
        _ body: [UInt8] = [],
        wait: Duration = .zero,
        attempts: RequestAttempts? = nil
    ) async throws -> Answer {
        var fields = fields
        fields[.authorization] = "Bearer \(token)"
        let options = client.options.with {
            $0.timeouts.connect = min(timeout, $0.timeouts.connect ?? timeout)
            $0.timeouts.firstByte = timeout + wait
            $0.timeouts.whole = timeout + wait
        }
        var wasSeen = false
        func attempt(_ request: HTTPRequest) async throws -> Answer {
            do {
                let reply = try await client.send(request, body: body.isEmpty ? .empty : .bytes(body), options: options)
                // A proxy may answer instead of the server.
                wasSeen = wasSeen || reply.head.status.code >= 500
                return Answer(head: reply.head, body: Array(reply.body))
            } catch let error as CurlError {
                wasSeen = wasSeen || error.wasSent != false
                throw error
            }
        }
        do {
            let request = try HTTPRequest(method, url: "\(address)/v1/capabilities\(path)", headerFields: fields)
            guard let attempts else { return try await attempt(request) }
            return try await attempts.run(request, isBodyReplayable: { true }, head: \.head) { request, _ in
                try await attempt(request)
            }
        } catch let error as CancellationError {
            // Cancellation says nothing about the server.
            throw error
        } catch {
            throw UpgradeStoreError(
                wasSeen && method == .post && attempts != nil ? .outcomeUnknown : .unavailable,
                "the server does not answer: \(error)",
                subject: subject,
                cause: error
            )
        }
    }

    func decode<Value: Decodable>(
        _ type: Value.Type,
        _ answer: Answer,
        _ subject: String
    ) throws(UpgradeStoreError) -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        do { return try decoder.decode(type, from: Data(answer.body)) } catch {
            throw UpgradeStoreError(.unreadable, "the server's answer is not a \(type)", subject: subject, cause: error)
        }
    }

    func refusal(_ answer: Answer, _ subject: String) -> UpgradeStoreError {
        struct Document: Decodable {
            struct Problem: Decodable { var message: String }
            var error: Problem
        }
        let message = (try? JSONDecoder().decode(Document.self, from: Data(answer.body)))?.error.message
        return UpgradeStoreError(
            .unavailable,
            "the server refuses with \(answer.status)\(message.map { ": \($0.prefix(300))" } ?? "")",
            subject: subject
        )
    }
}
