#if Sandbox
import Foundation
import HTTPTypes

/// A request to the platform.
struct WireRequest: Sendable {
    var method: HTTPRequest.Method
    /// The path's components, not percent-encoded yet.
    var path: [String]
    var query: [(name: String, value: String)] = []
    var headers: [(String, String)] = []
    var token: String?
    var body: [UInt8] = []
    /// A URL from the server, which replaces the path and the query.
    var address: String?

    static func get(
        _ path: String...,
        query: [(name: String, value: String)] = [],
        token: String? = nil
    ) -> WireRequest {
        WireRequest(method: .get, path: path, query: query, token: token)
    }

    static func get(address: String) -> WireRequest { WireRequest(method: .get, path: [], address: address) }

    static func post(_ path: String..., token: String? = nil) -> WireRequest {
        WireRequest(method: .post, path: path, token: token)
    }

    /// Returns the same request with a JSON body.
    func json(_ body: some Encodable) throws(MenagerieError) -> WireRequest {
        var request = self
        do {
            request.body = try Array(JSONEncoder().encode(body))
        } catch {
            throw .transport(TransportFailure(.invalidRequest, message: "the request is not JSON", wasSent: false))
        }
        return request
    }

    func url(from service: String) -> String {
        if let address { return address }
        let base = service.hasSuffix("/") ? String(service.dropLast()) : service
        let query = query.map { "\(Self.encode($0.name))=\(Self.encode($0.value))" }.joined(separator: "&")
        return base + "/v2/" + path.map(Self.encode).joined(separator: "/") + (query.isEmpty ? "" : "?" + query)
    }

    /// Percent-encodes everything except RFC 3986's unreserved characters, and also "." and "..", which are not names
    /// in a path.
    private static func encode(_ text: String) -> String {
        if text == "." { return "%2E" }
        if text == ".." { return "%2E%2E" }
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )
}

/// Returns the query of a list's page; an empty cursor is a cursor.
func pageQuery(cursor: String?, limit: Int?) -> [(name: String, value: String)] {
    var query: [(name: String, value: String)] = []
    if let cursor { query.append(("cursor", cursor)) }
    if let limit { query.append(("limit", "\(limit)")) }
    return query
}
#endif
