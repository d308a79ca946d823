#if Server
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The answer to a request.
struct Reply: Sendable {
    /// Sends one piece of a stream.
    typealias Send = @concurrent (String) async throws -> Void

    enum Body: Sendable {
        case nothing
        case bytes([UInt8], type: String)
        /// The closure returns when the stream ends.
        case events(@concurrent @Sendable (Send) async throws -> Void)
    }

    var status: HTTPResponse.Status = .ok
    var headers: HTTPFields = [:]
    var body: Body = .nothing

    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Reply {
        Reply(status: status, body: .bytes(try ServerJSON.bytes(value), type: "application/json"))
    }

    static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> Reply {
        Reply(body: .bytes(Array(text.utf8), type: type))
    }

    /// A page that loads its style and script from this server, and nothing from elsewhere.
    static func page(_ html: String, status: HTTPResponse.Status = .ok) -> Reply {
        page(Array(html.utf8), status: status)
    }

    static func page(_ html: [UInt8], status: HTTPResponse.Status = .ok) -> Reply {
        var reply = Reply(status: status, body: .bytes(html, type: "text/html; charset=utf-8"))
        reply.headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; "
            + "form-action 'self'; frame-ancestors 'none'"
        return reply
    }

    /// The reply with that tag; without its body, if the client has it already.
    func tagged(_ tag: String, for call: Call) -> Reply {
        var reply = self
        reply.headers[.eTag] = tag
        reply.headers[.cacheControl] = "no-cache"
        // A proxy that compresses makes the tag a weak one.
        let known = (call.headers[.ifNoneMatch] ?? "").split(separator: ",").map { $0.drop { $0 == " " } }
        if known.contains(where: { $0 == tag || $0 == "W/" + tag || $0 == "*" }) {
            (reply.status, reply.body) = (.notModified, .nothing)
        }
        return reply
    }

    /// Server-sent events from several sources. They end when one of the sources does.
    ///
    /// - Parameter sleep: paces the keep-alive comment every 15 s.
    static func events(
        _ sources: [@Sendable (_ pen: AsyncStream<String>.Continuation) async throws -> Void],
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) -> Reply {
        Reply(
            headers: [.cacheControl: "no-store"],
            body: .events { send in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    let (pieces, pen) = AsyncStream.makeStream(of: String.self)
                    for source in sources {
                        group.addTask {
                            defer { pen.finish() }
                            try await source(pen)
                        }
                    }
                    group.addTask {
                        while true {
                            try await sleep(.seconds(15))
                            pen.yield(": alive\n\n")
                        }
                    }
                    defer { group.cancelAll() }
                    for await piece in pieces { try await send(piece) }
                }
            }
        )
    }
}

/// Why a request is refused.
struct HTTPRefusal: Error {
    var status: HTTPResponse.Status
    var code: String
    /// The message, for people. It repeats nothing that the client sent.
    var message: String
    /// The gate's decision, if the gate refuses.
    var decision: DecisionReport?
    /// What else a person should know; empty if nothing.
    var lines: [String] = []
    var retryAfter: Int?
    var headers: HTTPFields = [:]
    /// The refusal as a page, for a browser.
    var page: String?

    init(_ status: HTTPResponse.Status, _ code: String, _ message: String) {
        (self.status, self.code, self.message) = (status, code, message)
    }

    /// A refusal by the rules of the upgrade.
    init(_ refused: RefusedChange) {
        let refusal = refused.refusal
        let status: HTTPResponse.Status =
            switch refusal.code {
            case .incomplete: .badRequest
            case .keyUsed: .unprocessableContent
            default: .conflict
            }
        self.init(status, refusal.code.rawValue, refusal.message)
        decision = refused.decision
    }

    /// Something that the server needs fails. The client may try again.
    static func unavailable(_ why: String) -> HTTPRefusal {
        var refusal = HTTPRefusal(.serviceUnavailable, "unavailable", why)
        refusal.retryAfter = 5
        return refusal
    }

    static let notFound = HTTPRefusal(.notFound, "notFound", "there is no such address")

    private struct Document: Encodable {
        struct Problem: Encodable {
            var code: String
            var message: String
            var reasons: [String]?
            var decision: DecisionReport?
        }
        var error: Problem
    }

    /// The gate's reasons or the ``lines``, for people.
    var reasons: [String] { decision?.decision?.reasons.map(\.description) ?? lines }

    var reply: Reply {
        let document = Document(
            error: .init(
                code: code,
                message: message,
                reasons: reasons.isEmpty ? nil : reasons,
                decision: decision
            )
        )
        var reply: Reply
        if let page {
            reply = .page(page, status: status)
            for field in headers { reply.headers[field.name] = field.value }
        } else {
            // A decision consists of numbers and strings, which can always be encoded.
            let bytes = (try? ServerJSON.bytes(document)) ?? []
            reply = Reply(status: status, headers: headers, body: .bytes(bytes, type: "application/json"))
        }
        if let retryAfter { reply.headers[.retryAfter] = "\(retryAfter)" }
        return reply
    }
}

enum ServerJSON {
    static func bytes(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder.ofUpgrades(isForPeople: false)
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    /// - Throws: ``HTTPRefusal`` with 400, which names the place in the document.
    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws(HTTPRefusal) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw HTTPRefusal(.badRequest, "invalidBody", "the body is not what is expected here\(error.place)")
        } catch {
            throw HTTPRefusal(.badRequest, "invalidBody", "the body is not JSON")
        }
    }
}

extension DecodingError {
    /// Where the error is, by names of the format only: other keys are the client's text.
    fileprivate var place: String {
        let (path, missing): ([any CodingKey], String?)
        switch self {
        case .keyNotFound(let key, let context): (path, missing) = (context.codingPath, key.stringValue)
        case .valueNotFound(_, let context), .typeMismatch(_, let context), .dataCorrupted(let context):
            (path, missing) = (context.codingPath, nil)
        @unknown default: return ""
        }
        let text = path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue.plain(40))" }.joined()
        return (text.isEmpty ? "" : ", at \(text)") + (missing.map { ": \($0) is missing" } ?? "")
    }
}
#endif
