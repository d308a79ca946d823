#if Fleet
import Cofferdam
import CofferdamCurl
public import CofferdamDevice  // reaches a server through its client
import CofferdamSupport
public import CofferdamUpgrade  // its documents
import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The upgrades of a `cofferdam-server`, for people and their tools. Reading needs a token with the role `reader`, and
/// a change one with `operator`.
///
/// A request that is not answered, or that the server is too busy for, is sent again up to twice. So is a change, which
/// the server recognizes by its key. Errors do not contain the token.
package struct ServerUpgrades: Sendable {
    private let server: UpgradeServer
    private let attempts: RequestAttempts?

    /// Reads and moves the upgrades of that server.
    package init(_ server: UpgradeServer) { self.init(server, pacing: Pacing()) }

    init(_ server: UpgradeServer, pacing: Pacing) {
        self.server = server
        attempts = RequestAttempts(
            redirects: .returned,
            retry: .standard,
            budget: nil,
            now: pacing.now,
            sleep: pacing.pause
        )
    }

    /// Sends the request again when it fails.
    private func repeating(
        _ request: HTTPRequest,
        _ attempt: UpgradeServer.Attempt
    ) async throws -> UpgradeServer.Answer {
        guard let attempts else { return try await attempt(request) }
        return try await attempts.run(request, isBodyReplayable: { true }, head: \.head) { request, _ in
            do { return try await attempt(request) } catch let error as DeviceTransportError {
                // libcurl's own error says whether another attempt makes sense.
                throw error.cause as? CurlError ?? error
            }
        }
    }

    // MARK: Reading

    /// All upgrades, by name.
    ///
    /// - Throws: `UpgradeStoreError`, `CancellationError`.
    package func statuses() async throws -> [CapabilityStatus] {
        struct Overview: Decodable { var capabilities: [CapabilityStatus] }
        return try await get(Overview.self, "").capabilities
    }

    /// The last entries of the audit log, newest first.
    ///
    /// - Throws: `UpgradeStoreError`, `CancellationError`.
    package func history(of capability: String, last count: Int) async throws -> [HistoryLine] {
        try await get(CapabilityStatus.self, "/\(capability.percentEncoded)?history=\(count)").history ?? []
    }

    /// The gate's current decision, or, with the beginning of an id, the recomputed decisions of those entries.
    ///
    /// - Throws: `RefusedChange` at a stage that the plan does not have; `UpgradeStoreError`, `CancellationError`.
    package func decisions(of capability: String, entry: String? = nil) async throws -> [DecisionReport] {
        struct Decisions: Decodable { var decisions: [DecisionReport] }
        let query = entry.map { "?entry=\($0.percentEncoded)" } ?? ""
        return try await get(Decisions.self, "/\(capability.percentEncoded)/decisions\(query)").decisions
    }

    private func get<Value: Decodable>(_ type: Value.Type, _ path: String) async throws -> Value {
        let answer = try await server.send(.get, path, of: server.address, attempts: repeating)
        switch answer.status {
        case 200: return try server.decode(type, answer, server.address)
        case 409: throw try refused(answer)
        default: throw refusal(answer)
        }
    }

    // MARK: Moving

    /// A change that was made.
    package struct Made: Decodable, Sendable {
        package var entry: HistoryLine
        /// The steps that the team's release process must take; nil if none.
        package var releaseSteps: String?
        /// Why the server has not stored it yet, although it is in force; nil if it has.
        package var why: String?
    }

    /// Requests a change, in the name of the token.
    ///
    /// - Parameters:
    ///   - id: names the entry; a change with the same id is made once.
    ///   - seen: the state that it is based on. A step up needs it.
    ///   - allowsUnknown: whether an override may be of an operation that no user has called.
    /// - Throws: `RefusedChange`, after which nothing was changed; `UpgradeStoreError`, with `outcomeUnknown` if the change may have been
    ///   made; `CancellationError`.
    package func carryOut(
        _ move: RequestedChange,
        of capability: String,
        reason: String,
        id: String,
        from seen: UpgradeRequest.Seen? = nil,
        allowsUnknown: Bool = false
    ) async throws -> Made {
        guard var order = UpgradeRequestBody(move, reason: reason, from: seen) else {
            throw UpgradeStoreError(.unavailable, "a server does not \(move.name)", subject: server.address)
        }
        if allowsUnknown { order.unknown = true }
        var fields: HTTPFields = [.contentType: "application/json"]
        if let key = HTTPField.Name("Idempotency-Key") { fields[key] = id }
        let answer: UpgradeServer.Answer
        do {
            answer = try await server.send(
                .post,
                "/\(capability.percentEncoded)/\(move.name)",
                of: server.address,
                fields,
                Array(try JSONEncoder().encode(order)),
                attempts: repeating
            )
        } catch var error as UpgradeStoreError where error.code == .outcomeUnknown {
            error.message += Self.doubt
            throw error
        }
        switch answer.status {
        case 200, 202: return try server.decode(Made.self, answer, server.address)
        case 400, 409, 422: throw try refused(answer)
        case 500...:
            var error = refusal(answer)
            (error.code, error.message) = (.outcomeUnknown, error.message + Self.doubt)
            throw error
        default: throw refusal(answer)
        }
    }

    private static let doubt = "; the change may have been made: see the history"

    // MARK: Refusals

    private func refused(_ answer: UpgradeServer.Answer) throws -> RefusedChange {
        struct Document: Decodable {
            struct Problem: Decodable {
                var code: String
                var message: String
                var decision: DecisionReport?
            }
            var error: Problem
        }
        guard let problem = try? server.decode(Document.self, answer, server.address).error else {
            // The answer is not from a `cofferdam-server`.
            throw refusal(answer)
        }
        return RefusedChange(
            UpgradeRefusal(.init(rawValue: problem.code), problem.message),
            decision: problem.decision
        )
    }

    private func refusal(_ answer: UpgradeServer.Answer) -> UpgradeStoreError {
        var error = server.refusal(answer, server.address)
        if let wait = RetryAfter.delay(from: answer.head) {
            error.message += "; it accepts the next one in \(wait.components.seconds) s"
        }
        return error
    }
}

extension UpgradeServer {
    /// Publishes a report for the console, which replaces the last one of its kind. The token needs the role
    /// `operator`.
    ///
    /// - Throws: `UpgradeStoreError`, with the server's message; `CancellationError`.
    public func publish(_ report: TeamReport) async throws {
        var fields: HTTPFields = [.contentType: "application/json"]
        // So that a repeated request does not replace a report published in the meantime.
        if let name = HTTPField.Name("Idempotency-Key") { fields[name] = UpgradeEngine.randomID() }
        let path = "/\(report.capability.percentEncoded)/\(report.kind.rawValue)"
        let answer = try await send(.put, path, of: report.capability, fields, report.json)
        guard answer.status == 200 else { throw refusal(answer, report.capability) }
    }
}
#endif
