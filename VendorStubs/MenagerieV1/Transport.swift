#if Sandbox
import CofferdamCurl
import Foundation
import HTTPTypes

/// The SDK's HTTP client, for one key and server.
final class Transport {
    let key: String
    let baseURL: String
    private let lock = NSLock()
    private var openedClient: CurlClient?

    init(key: String, baseURL: String) {
        self.key = key
        self.baseURL = baseURL
    }

    func shutdown() async { await lock.withLock { openedClient }?.shutdown() }

    /// Opened by the first call.
    private var client: CurlClient {
        lock.withLock {
            let client =
                openedClient
                ?? CurlClient(
                    configuration: .defaults {
                        $0.userAgent = "Menagerie/1.9"
                        // The server holds a poll for 25 seconds.
                        $0.options.timeouts.firstByte = .seconds(35)
                    }
                )
            openedClient = client
            return client
        }
    }

    /// Sends a request and decodes the answer's JSON.
    func json<Reply: Decodable>(
        _ method: HTTPRequest.Method,
        _ path: String,
        query: [(name: String, value: String)] = [],
        token: String? = nil,
        body: (any Encodable)? = nil
    ) async throws(NSError) -> Reply {
        try Self.decoded(try await send(method, path, query: query, token: token, body: body).body)
    }

    /// Decodes strictly what is specified, and ignores unknown members.
    static func decoded<Reply: Decodable>(_ body: some Collection<UInt8>) throws(NSError) -> Reply {
        do {
            return try JSONDecoder().decode(Reply.self, from: Data(body))
        } catch {
            throw .unreadable(error)
        }
    }

    /// Sends a request and returns the answer as it is, if its status means success.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        query: [(name: String, value: String)] = [],
        headers: HTTPFields = [:],
        token: String? = nil,
        body: (any Encodable)? = nil,
        progress: ((_ received: Int64, _ expected: Int64) -> Void)? = nil
    ) async throws(NSError) -> CurlReply {
        let reply: CurlReply
        do {
            var fields = headers
            fields[Self.keyField] = key
            if let token { fields[.authorization] = "Bearer \(token)" }
            if body != nil { fields[.contentType] = "application/json" }
            let request = try HTTPRequest(method, url: url(path, query), headerFields: fields)
            let client = client
            reply = try await client.send(
                request,
                body: try body.map { .bytes(try JSONEncoder().encode($0)) } ?? .empty,
                options: progress.map { progress in
                    client.options.with {
                        $0.progress = { progress(Int64($0.received), $0.totalToReceive.map { Int64($0) } ?? -1) }
                    }
                }
            )
        } catch {
            throw .transport(error)
        }
        guard (200...299).contains(reply.head.status.code) else { throw .server(reply) }
        return reply
    }

    /// Returns a path component in which no character has a special meaning.
    static func segment(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private func url(_ path: String, _ query: [(name: String, value: String)]) -> String {
        let pairs = query.map { "\($0.name)=\(Self.segment($0.value))" }
        return baseURL + path + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }

    // A constant, and a valid name.
    // swift-format-ignore: NeverForceUnwrap
    private static let keyField = HTTPField.Name("X-Menagerie-Key")!
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )
}

extension NSError {
    /// Returns the error for a failed connection.
    fileprivate static func transport(_ error: any Error) -> NSError {
        guard let error = error as? CurlError else {
            return error is CancellationError
                ? .menagerie(.cancelled, "The request was cancelled.")
                : .menagerie(.badRequest, "The request could not be made: \(error)")
        }
        let code: MenagerieErrorCode
        var wasSent = error.wasSent
        switch error.code {
        case .dns, .connect, .tls: (code, wasSent) = (.notConnected, wasSent ?? false)
        case .timeout: code = .timedOut
        case .truncated: code = .incompleteResponse
        case .tooLarge, .protocol: code = .badResponse
        case .invalidRequest: (code, wasSent) = (.badRequest, wasSent ?? false)
        default: code = .notConnected
        }
        return .menagerie(code, error.message, [MenagerieRequestWasSentKey: NSNumber(value: wasSent ?? true)])
    }

    /// Returns the error that the server sent.
    fileprivate static func server(_ reply: CurlReply) -> NSError {
        let status = reply.head.status.code
        var userInfo: [String: Any] = [:]
        var text = "The server answered with status \(status)."
        if let answer = try? JSONDecoder().decode(ErrorJSON.self, from: Data(reply.body)) {  // else a proxy's page
            text = answer.error.message
            userInfo[MenagerieServerCodeKey] = NSNumber(value: answer.error.code)
            userInfo[MenagerieFieldKey] = answer.error.field
        }
        if let seconds = reply.head.headerFields[.retryAfter].flatMap({ Double($0) }) {
            userInfo[MenagerieRetryAfterKey] = NSNumber(value: seconds)
        }
        return .menagerie(status, text, userInfo)
    }

    /// Returns the error for a malformed answer.
    fileprivate static func unreadable(_ error: any Error) -> NSError {
        var path: [any CodingKey] = []
        var text = "The answer cannot be read."
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            (path, text) = (context.codingPath + [key], "A field is missing.")
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            (path, text) = (context.codingPath, context.debugDescription)
        default: break
        }
        return .menagerie(.badResponse, text, [MenagerieKeyPathKey: path.reduce("") { $0.appending($1) }])
    }
}

extension String {
    fileprivate func appending(_ key: any CodingKey) -> String {
        if let index = key.intValue { return "\(self)[\(index)]" }
        return isEmpty ? key.stringValue : "\(self).\(key.stringValue)"
    }
}

private struct ErrorJSON: Decodable {
    struct Body: Decodable {
        var code: Int
        var message: String
        var field: String?
    }

    var error: Body
}
#endif
