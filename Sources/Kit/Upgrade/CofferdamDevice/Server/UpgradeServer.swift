#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Cofferdam
package import CofferdamUpgrade  // its reports and errors
package import HTTPTypes  // what it sends

/// The address of a `cofferdam-server`, and the token that identifies the app. Its description does not contain the
/// token.
///
/// ```swift
/// let server = UpgradeServer("https://upgrades.example.com", token: token, transport: .urlSession())
/// let device = try DeviceUpgrades(server, directory: directory, salt: salt)
/// ```
///
/// The server's gate decides; the engine on the device follows it, and a state that it cannot refresh becomes stale and
/// expires as in a fleet.
public struct UpgradeServer: Sendable, CustomStringConvertible, CustomReflectable {
    /// The address: "https://upgrades.example.com".
    public let address: String
    private let token: String
    private let transport: DeviceTransport
    /// The timeout of one request; a long poll may take its wait in addition.
    public var timeout: Duration = .seconds(10)

    /// - Parameter token: with the role `device`, or `operator` for the team's tools.
    public init(_ address: String, token: String, transport: DeviceTransport) {
        self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
        (self.token, self.transport) = (token, transport)
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
        let reply = try await send(
            .get,
            "/\(capability.percentEncoded)/\(path)",
            of: capability,
            fields,
            wait: .seconds(wait)
        )
        if reply.status == 304, tag != nil { return nil }
        guard reply.status == 200 else { throw refusal(reply, capability) }
        return try decode(ServedStage.self, reply, capability)
    }

    /// The outcome of posting a report.
    enum Receipt: Sendable {
        case taken
        /// The server will never accept it.
        case refused(UpgradeStoreError)
        /// The server does not have the upgrade, and may have it later.
        case notHosted(UpgradeStoreError)
    }

    /// Posts a report.
    ///
    /// - Throws: `UpgradeStoreError`, `CancellationError`.
    func post(_ report: EvidenceReport, of capability: String, _ enrolment: Enrolment? = nil) async throws -> Receipt {
        struct Post: Encodable { var reports: [EvidenceReport] }
        let bytes: [UInt8]
        do { bytes = Array(try JSONEncoder().encode(Post(reports: [report]))) } catch {
            return .refused(
                UpgradeStoreError(.unreadable, "the report cannot be encoded", subject: capability, cause: error)
            )
        }
        func send(_ path: String, _ signature: [String: String], _ body: [UInt8]) async throws -> Answer {
            var fields: HTTPFields = [.contentType: "application/json"]
            for (name, value) in signature { if let name = HTTPField.Name(name) { fields[name] = value } }
            return try await self.send(.post, path, of: capability, fields, body)
        }
        let reply =
            if let enrolment { try await enrolment.post(bytes, of: capability, by: send) } else {
                try await send("/\(capability.percentEncoded)/evidence", [:], bytes)
            }
        switch reply.status {
        case 200: return .taken
        case 400, 413: return .refused(refusal(reply, capability))
        case 404 where reply.code == "unknownCapability", 409 where reply.code == "notPosted":
            return .notHosted(refusal(reply, capability))
        default: throw refusal(reply, capability)
        }
    }

    /// A server's answer.
    package struct Answer: Sendable, EnrolmentAnswer {
        package var head: HTTPResponse
        var body: [UInt8]
        package var status: Int { head.status.code }
        var retryAfter: Int? { head.headerFields[.retryAfter].flatMap { Int($0) } }
    }

    /// Sends a request once.
    package typealias Attempt = (HTTPRequest) async throws -> Answer

    /// - Parameters:
    ///   - path: below `/v1/capabilities`.
    ///   - subject: the subject of an error.
    ///   - wait: how long the server may take on top of the timeout.
    ///   - attempts: makes one or more attempts, whose errors are ``DeviceTransportError``; nil for one.
    /// - Throws: `UpgradeStoreError`, with `outcomeUnknown` for a change with `attempts` that the server may have seen;
    ///   `CancellationError`.
    package func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        of subject: String,
        _ fields: HTTPFields = [:],
        _ body: [UInt8] = [],
        wait: Duration = .zero,
        attempts: ((HTTPRequest, Attempt) async throws -> Answer)? = nil
    ) async throws -> Answer {
        var fields = fields
        fields[.authorization] = "Bearer \(token)"
        guard let request = HTTPRequest(method, at: address, path: "/v1/capabilities\(path)", fields) else {
            // The address is not repeated: it may contain a password.
            throw UpgradeStoreError(.unavailable, "the server's address is not one of http or https", subject: subject)
        }
        var wasSeen = false
        func attempt(_ request: HTTPRequest) async throws -> Answer {
            do {
                let (head, body) = try await transport.exchange(request, body, timeout + wait)
                // A proxy may answer instead of the server.
                wasSeen = wasSeen || head.status.code >= 500
                return Answer(head: head, body: body)
            } catch let error as DeviceTransportError {
                wasSeen = wasSeen || error.wasSent != false
                throw error
            }
        }
        do {
            guard let attempts else { return try await attempt(request) }
            return try await attempts(request, attempt)
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

    package func decode<Value: Decodable>(
        _ type: Value.Type,
        _ answer: Answer,
        _ subject: String
    ) throws(UpgradeStoreError) -> Value {
        do { return try JSONDecoder.ofUpgrades.decode(type, from: Data(answer.body)) } catch {
            throw UpgradeStoreError(.unreadable, "the server's answer is not a \(type)", subject: subject, cause: error)
        }
    }

    package func refusal(_ answer: Answer, _ subject: String) -> UpgradeStoreError {
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

extension HTTPRequest {
    /// Nil for an address that is not of `http` or `https`, or contains a user or a character that no address has.
    ///
    /// - Parameter unlike: characters that the rest of the address may not have either.
    init?(_ method: Method, at address: String, path: String, _ fields: HTTPFields, unlike: String = "@?#") {
        guard let separator = address.firstRange(of: "://"), address.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        let scheme = address[..<separator.lowerBound].lowercased()
        let rest = address[separator.upperBound...]
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<end]
        guard ["http", "https"].contains(scheme), !authority.isEmpty, !rest.contains(where: unlike.contains)
        else { return nil }
        self.init(
            method: method,
            scheme: scheme,
            authority: String(authority),
            path: rest[end...] + path,
            headerFields: fields
        )
    }
}

extension String {
    /// Percent-encoded for a path or a query.
    package var percentEncoded: String {
        utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        .joined()
    }
}
