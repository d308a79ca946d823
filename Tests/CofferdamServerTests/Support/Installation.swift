#if Server
import CofferdamDevice
import CofferdamServer
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing

/// An installation that signs by hand.
struct Installation {
    let key = PostSignature.Key()
    /// The id that the server gave.
    private(set) var id = ""

    /// What a server answers to an enrolment.
    struct Enrolled: Decodable, Equatable {
        var id: String
        var attested: Bool
    }

    private struct Request: Encodable {
        var publicKey: Data
        var attestation: String?
    }

    private struct Post: Encodable {
        var reports: [EvidenceReport]
    }

    /// Enrols, and notes the id.
    @discardableResult
    mutating func enrol(
        at server: TestServer,
        attestation: String? = nil,
        from address: String? = nil
    ) async throws -> TestServer.Answer {
        let answer = try await enrolment(at: server, attestation: attestation, from: address)
        if answer.status == 200 { id = try answer.json(Enrolled.self).id }
        return answer
    }

    /// - Parameter address: the client that a trusted proxy names.
    func enrolment(
        at server: TestServer,
        attestation: String? = nil,
        from address: String? = nil
    ) async throws -> TestServer.Answer {
        let body = try JSONEncoder().encode(Request(publicKey: key.publicKey, attestation: attestation))
        var fields = try Self.fields(nil, try key.sign(Self.path("enrolments"), Array(body)))
        if let address { fields[try Self.name("X-Forwarded-For")] = address }
        return try await server.send(
            .post,
            Self.path("enrolments"),
            as: .device,
            String(decoding: body, as: UTF8.self),
            headers: fields
        )
    }

    /// Posts reports, signed.
    ///
    /// - Parameters:
    ///   - id: whose id it says it has; nil for its own.
    ///   - sent: what is sent instead of what is signed.
    ///   - path: where it signs that it posts.
    @discardableResult
    func report(
        _ reports: [EvidenceReport],
        to server: TestServer,
        as id: String? = nil,
        sending sent: [EvidenceReport]? = nil,
        signing path: String = Self.path("evidence")
    ) async throws -> TestServer.Answer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let signature = try key.sign(path, Array(try encoder.encode(Post(reports: reports))))
        let body = String(decoding: try encoder.encode(Post(reports: sent ?? reports)), as: UTF8.self)
        let fields = try Self.fields(id ?? self.id, signature)
        return try await server.send(.post, Self.path("evidence"), as: .device, body, headers: fields)
    }

    private static func path(_ name: String) -> String { PostSignature.path(name, of: "orders") }

    static func fields(_ id: String?, _ signature: String?) throws -> HTTPFields {
        var fields: HTTPFields = [:]
        if let id { fields[try name(PostSignature.fields.installation)] = id }
        if let signature { fields[try name(PostSignature.fields.signature)] = signature }
        return fields
    }

    private static func name(_ text: String) throws -> HTTPField.Name { try #require(HTTPField.Name(text)) }
}
#endif
