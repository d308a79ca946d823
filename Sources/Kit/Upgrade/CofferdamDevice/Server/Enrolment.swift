import Cofferdam
import CofferdamUpgrade

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an installation needs to know of the answer to a post.
protocol EnrolmentAnswer {
    var status: Int { get }
    var body: [UInt8] { get }
    /// In seconds.
    var retryAfter: Int? { get }
}

extension EnrolmentAnswer {
    /// The code of a refusal; nil if the answer has none.
    var code: String? { (try? JSONDecoder().decode(Refusal.self, from: Data(body)))?.error.code }
}

private struct Refusal: Decodable {
    struct Problem: Decodable { var code: String }
    var error: Problem
}

/// Enrols an installation once at its server, and signs what it posts from then on. The key is in a file that only the
/// app's account can read. A lost file, or a server that does not know the installation any more, leads to a new
/// enrolment.
///
/// While the server does not enrol, its posts are sent without a signature, as from an installation that never enrols:
/// a failure that they report must not wait.
final class Enrolment: Sendable {
    /// Returns what proves to the team's verifier that the installation with that public key is genuine; nil if it
    /// cannot.
    typealias Attest = @Sendable (_ publicKey: [UInt8]) async throws -> String?

    private struct Stored: Codable {
        var key: Data
        /// Nil until it has enrolled at `server`.
        var id: String?
        var server: String
    }

    private struct State {
        var id: String?
        var key: PostSignature.Key?
        /// When to ask the server again.
        var notBefore: ContinuousClock.Instant?
        /// The same for upgrades that the server does not have: it may enrol with the post of another one.
        var notBeforeOf: [String: ContinuousClock.Instant] = [:]
    }

    private struct Request: Encodable {
        var publicKey: Data
        var attestation: String?
    }

    private struct Enrolled: Decodable {
        var id: String
    }

    private let file: DurableFile
    private let server: String
    private let attest: Attest?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// When a server that does not enrol is asked again, and one that could not.
    private static let pauses = (notOffered: Duration.seconds(3_600), failed: Duration.seconds(600))
    /// The longest wait that a server may ask for.
    private static let longestPause = 86_400

    /// - Parameters:
    ///   - file: for the key, created when it is first needed.
    ///   - server: the server's address. The installation enrols anew at another one.
    init(
        file: DurableFile,
        server: String,
        attest: Attest?,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        (self.file, self.server, self.attest, self.now) = (file, server, attest, now)
    }

    /// Posts evidence, signed if the installation has enrolled or now can. One post at a time.
    ///
    /// - Parameter send: sends a POST below `/v1/capabilities`, with those additional fields.
    /// - Throws: what `send` throws; `CancellationError`.
    func post<Answer: EnrolmentAnswer>(
        _ body: [UInt8],
        of capability: String,
        by send: (_ path: String, _ fields: [String: String], _ body: [UInt8]) async throws -> Answer
    ) async throws -> Answer {
        let path = "/\(capability.percentEncoded)/evidence"
        let fields = try await fields(for: body, of: capability, send)
        let answer = try await send(path, fields, body)
        guard !fields.isEmpty, Self.isUnknown(answer) else { return answer }
        state.withLock { $0.id = nil }
        return try await send(path, try await self.fields(for: body, of: capability, send), body)
    }

    /// Whether the server does not know the installation: its database may be an older one.
    private static func isUnknown(_ answer: some EnrolmentAnswer) -> Bool {
        answer.status == 403 && ["unknownInstallation", "invalidSignature"].contains(answer.code)
    }

    /// The fields that sign a post; none while the installation is not enrolled.
    private func fields<Answer: EnrolmentAnswer>(
        for body: [UInt8],
        of capability: String,
        _ send: (String, [String: String], [UInt8]) async throws -> Answer
    ) async throws -> [String: String] {
        guard let (id, key) = try await identity(capability, send),
            let signature = try? key.sign(PostSignature.path("evidence", of: capability), body)
        else { return [:] }
        return [PostSignature.fields.installation: id, PostSignature.fields.signature: signature]
    }

    private func identity<Answer: EnrolmentAnswer>(
        _ capability: String,
        _ send: (String, [String: String], [UInt8]) async throws -> Answer
    ) async throws -> (id: String, key: PostSignature.Key)? {
        let (known, pauses) = state.withLock { state in
            (
                state.id.flatMap { id in state.key.map { (id, $0) } },
                [state.notBefore, state.notBeforeOf[capability]].compactMap(\.self)
            )
        }
        if let known { return known }
        if let end = pauses.max(), now() < end { return nil }
        // A file that cannot be read now may be readable later, and its key must not be replaced.
        guard let key = try? key() else { return pause(Self.pauses.failed) }
        if let id = state.withLock({ $0.id }) { return (id, key) }
        var request = Request(publicKey: key.publicKey)
        do { request.attestation = try await attest?(Array(key.publicKey)) } catch {
            try Task.checkCancellation()
            return pause(Self.pauses.failed)
        }
        guard let body = try? Array(JSONEncoder().encode(request)),
            let signature = try? key.sign(PostSignature.path("enrolments", of: capability), body)
        else { return pause(Self.pauses.failed) }
        let fields = [PostSignature.fields.signature: signature]
        let answer = try await send("/\(capability.percentEncoded)/enrolments", fields, body)
        switch answer.status {
        case 200:
            guard let id = (try? JSONDecoder().decode(Enrolled.self, from: Data(answer.body)))?.id else {
                return pause(Self.pauses.failed)
            }
            state.withLock { $0.id = id }
            // If it cannot be written now, the next process enrols again, under the same key and id.
            try? write(Stored(key: key.bytes, id: id, server: server))
            return (id, key)
        case 404 where answer.code == "unknownCapability", 409:
            state.withLock { $0.notBeforeOf[capability] = now().advanced(by: Self.pauses.notOffered) }
            return nil
        case 404, 405: return pause(Self.pauses.notOffered)
        default:
            let asked = answer.retryAfter.map { Duration.seconds(min(max(1, $0), Self.longestPause)) }
            return pause(asked ?? Self.pauses.failed)
        }
    }

    private func pause(_ duration: Duration) -> (id: String, key: PostSignature.Key)? {
        state.withLock { $0.notBefore = now().advanced(by: duration) }
        return nil
    }

    /// The key in the file, or a new one that is in the file when this returns.
    private func key() throws -> PostSignature.Key {
        if let key = state.withLock({ $0.key }) { return key }
        let stored = try file.read().flatMap { try? JSONDecoder().decode(Stored.self, from: $0) }
        if let stored, let key = PostSignature.Key(stored.key) {
            state.withLock { $0 = State(id: stored.server == server ? stored.id : nil, key: key) }
            return key
        }
        guard let key = PostSignature.Key.new() else { throw NoKeys() }
        try write(Stored(key: key.bytes, server: server))
        state.withLock { $0 = State(key: key) }
        return key
    }

    private struct NoKeys: Error {}

    private func write(_ stored: Stored) throws { try file.write(try JSONEncoder().encode(stored)) }
}
