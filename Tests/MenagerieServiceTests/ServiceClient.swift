#if Sandbox
import Foundation
@testable import MenagerieService

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A minimal client with its own connections.
struct ServiceClient: Sendable {
    struct Reply: Sendable {
        let status: Int
        let headers: [String: String]
        let body: [UInt8]

        /// The body as JSON; null if it is invalid.
        var json: JSON { (try? JSON(reading: body)) ?? .null }
    }

    let url: String
    var token: String?
    var headers: [String: String] = [:]
    private let session = URLSession(configuration: .ephemeral)

    init(_ service: RunningService) { self.init(url: service.url) }

    init(url: String) { self.url = url }

    func send(
        _ method: String,
        _ address: String,
        _ body: JSON? = nil,
        headers more: [String: String] = [:]
    ) async throws -> Reply {
        try await send(method, address, bytes: try body?.text(), headers: more)
    }

    /// A call whose body need not be JSON.
    func send(
        _ method: String,
        _ address: String,
        bytes: [UInt8]?,
        headers more: [String: String] = [:]
    ) async throws -> Reply {
        let (data, response) = try await session.data(for: request(method, address, bytes, more))
        guard let http = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        let headers = http.allHeaderFields.map { (String(describing: $0).lowercased(), String(describing: $1)) }
        return Reply(status: http.statusCode, headers: Dictionary(uniqueKeysWithValues: headers), body: Array(data))
    }

    func get(_ address: String, headers: [String: String] = [:]) async throws -> Reply {
        try await send("GET", address, headers: headers)
    }

    func post(_ address: String, _ body: JSON? = nil, headers: [String: String] = [:]) async throws -> Reply {
        try await send("POST", address, body, headers: headers)
    }

    func request(
        _ method: String,
        _ address: String,
        _ body: [UInt8]?,
        _ more: [String: String] = [:]
    ) throws -> URLRequest {
        guard let url = URL(string: address.hasPrefix("http") ? address : url + address) else {
            throw URLError(.badURL)
        }
        var request = URLRequest(url: url, timeoutInterval: 20)
        request.httpMethod = method
        request.httpBody = body.map { Data($0) }
        request.setValue("test", forHTTPHeaderField: "X-Menagerie-Key")
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        for (name, value) in headers.merging(more, uniquingKeysWith: { $1 }) {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }

    /// The client, signed in on v1.
    func signedInLegacy(as user: String = "amara") async throws -> ServiceClient {
        var client = self
        client.token = try await post("/v1/session", Self.password(user)).json["token"]?.text
        return client
    }

    /// The client, signed in on v2, and its refresh token.
    func signedIn(as user: String = "amara") async throws -> (client: ServiceClient, refreshToken: String) {
        let reply = try await post("/v2/auth/token", Self.password(user, grantType: "password"))
        var client = self
        client.token = reply.json["accessToken"]?.text
        return (client, reply.json["refreshToken"]?.text ?? "")
    }

    func refresh(_ token: String) async throws -> Reply {
        try await post("/v2/auth/token", ["grantType": "refresh", "refreshToken": .string(token)])
    }

    private static func password(_ user: String, grantType: String? = nil) -> JSON {
        .members(["grantType": grantType.map(JSON.string), "user": .string(user), "password": "sandbox"])
    }

    /// The lines of a stream, until the consumer or the service ends it.
    func lines(_ address: String) throws -> AsyncThrowingStream<String, any Error> {
        let (lines, continuation) = AsyncThrowingStream.makeStream(of: String.self)
        let session = URLSession(
            configuration: .ephemeral,
            delegate: LineReader(continuation),
            delegateQueue: nil
        )
        let task = session.dataTask(with: try request("GET", address, nil))
        continuation.onTermination = { _ in
            task.cancel()
            session.invalidateAndCancel()
        }
        task.resume()
        return lines
    }
}

/// Splits the received bytes into lines. URLSession calls it on one serial queue.
private final class LineReader: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // Proof: `rest` is touched in the delegate's calls only, and these come one after the other.
    private var rest: [UInt8] = []
    private let lines: AsyncThrowingStream<String, any Error>.Continuation

    init(_ lines: AsyncThrowingStream<String, any Error>.Continuation) { self.lines = lines }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        rest += data
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.yield(String(decoding: rest[..<end], as: UTF8.self))
            rest.removeSubrange(...end)
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        lines.finish(throwing: error)
    }
}

extension JSON {
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var integer: Int? {
        guard case .integer(let number) = self else { return nil }
        return Int(number)
    }

    var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    var elements: [JSON] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    var errorCode: JSON? { self["error"]?["code"] }
}

/// Runs a test with a separate service.
func withService<Result>(
    _ configuration: ServiceConfiguration = .init(),
    _ body: (RunningService, ServiceClient) async throws -> Result
) async throws -> Result {
    let service = try await startService(configuration)
    do {
        let result = try await body(service, ServiceClient(service))
        await service.stop()
        return result
    } catch {
        await service.stop()
        throw error
    }
}

extension ServiceClient {
    /// All items of a list of v2, page by page, and how many pages there were.
    func walk(_ address: String, limit: Int = 50) async throws -> (items: [JSON], pages: Int) {
        var (items, pages): ([JSON], Int) = ([], 0)
        var cursor: String?
        repeat {
            let query = "limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? "")
            let reply = try await get("\(address)\(address.contains("?") ? "&" : "?")\(query)")
            guard reply.status == 200 else { throw URLError(.badServerResponse) }
            items += reply.json["items"]?.elements ?? []
            cursor = reply.json["nextCursor"]?.text
            pages += 1
        } while cursor != nil && pages < 100
        return (items, pages)
    }
}
#endif
