#if Server
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// A request's context, with the address of its connection.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address without the port.
    let address: String

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        address = source.channel.remoteAddress?.ipAddress ?? "unknown"
    }
}

/// A request, with its holder once its token is accepted.
struct Call: Sendable {
    var method: HTTPRequest.Method
    /// The components of the path, decoded.
    var path: [String]
    var query: [String: String]
    var headers: HTTPFields
    var address: String
    /// The host and port in the request.
    var authority: String?
    /// The token's entry; nil at a path that is open to everyone.
    var holder: AccessTokens.Entry?

    init(_ request: Request, address: String) {
        method = request.method
        let path = request.uri.path
        self.path = path.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
        query = Dictionary(request.uri.queryParameters.map { (String($0.key), String($0.value)) }) { _, last in last
        }
        headers = request.headers
        self.address = address
        authority = request.head.authority
    }

    /// The token: from "Bearer TOKEN", or a browser's Basic password.
    func token(allowsBasic: Bool) -> String? {
        guard let value = headers[.authorization] else { return nil }
        if let token = value.afterScheme("bearer ") { return token }
        guard allowsBasic, let encoded = value.afterScheme("basic "), let data = Data(base64Encoded: encoded),
            let text = String(bytes: data, encoding: .utf8), let colon = text.firstIndex(of: ":")
        else { return nil }
        return String(text[text.index(after: colon)...])
    }
}

extension String {
    fileprivate func afterScheme(_ scheme: String) -> String? {
        guard utf8.count > scheme.utf8.count, prefix(scheme.count).lowercased() == scheme else { return nil }
        return String(dropFirst(scheme.count))
    }
}
#endif
