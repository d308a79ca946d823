import CofferdamCurl
import CofferdamUpgrade
import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Speaks to etcd's JSON gateway.
///
/// Keys and values are base64, 64-bit integers are strings, and what is zero or empty is left out. A read is
/// linearizable: it is answered by a majority, or not at all.
struct EtcdGateway: Sendable {
    typealias Transport = @Sendable (_ path: String, _ body: [UInt8]) async throws -> (status: Int, body: [UInt8])

    private let transport: Transport

    init(_ transport: @escaping Transport) { self.transport = transport }

    /// - Parameter endpoint: "http://127.0.0.1:2379".
    init(endpoint: String, client: CurlClient) {
        let base = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
        transport = { path, body in
            let headers: HTTPFields = [.contentType: "application/json"]
            let request = try HTTPRequest(.post, url: base + path, headerFields: headers)
            let reply = try await client.send(request, body: .bytes(body))
            return (reply.head.status.code, Array(reply.body))
        }
    }

    /// The entry of one key; nil if there is none.
    ///
    /// - Throws: ``StageError`` with `unavailable`, naming the key; `CancellationError`.
    func entry(_ key: String) async throws -> EtcdEntry? {
        let reply: (status: Int, body: [UInt8])
        do {
            let body = try JSONEncoder().encode(RangeRequest(key: Data(key.utf8)))
            reply = try await transport("/v3/kv/range", [UInt8](body))
        } catch let error as CancellationError {
            throw error
        } catch {
            throw StageError(.unavailable, "etcd cannot be asked: \(error)", subject: key)
        }
        guard reply.status == 200 else {
            // A refusal without a readable text is told by its status alone.
            let said = (try? JSONDecoder().decode(Refusal.self, from: Data(reply.body)))?.message
            let text = "etcd answers \(reply.status)" + (said.map { ": \($0)" } ?? "")
            throw StageError(.unavailable, text, subject: key)
        }
        do {
            return try JSONDecoder().decode(RangeReply.self, from: Data(reply.body)).entry(of: key)
        } catch {
            throw StageError(.unavailable, "etcd's answer cannot be read: \(error)", subject: key)
        }
    }
}

/// One key's value as etcd has it.
struct EtcdEntry: Sendable, Hashable {
    var value: [UInt8]
    /// The store's revision at which it was last changed.
    var modRevision: Int64
}

private struct RangeRequest: Encodable {
    var key: Data
}

private struct Refusal: Decodable {
    var message: String?
}

private struct RangeReply: Decodable {
    /// Proves that it was etcd that answered: `{}` alone would look like "no such key".
    var header: Header
    var kvs: [Pair]?

    struct Header: Decodable {
        var revision: String
    }

    struct Pair: Decodable {
        var key: Data
        var value: Data?
        var modRevision: String

        enum CodingKeys: String, CodingKey {
            case key, value
            case modRevision = "mod_revision"
        }
    }

    func entry(of key: String) throws -> EtcdEntry? {
        guard let pair = kvs?.first else { return nil }
        guard pair.key == Data(key.utf8), let revision = Int64(pair.modRevision) else { throw Unreadable() }
        return EtcdEntry(value: [UInt8](pair.value ?? Data()), modRevision: revision)
    }

    struct Unreadable: Error {}
}
