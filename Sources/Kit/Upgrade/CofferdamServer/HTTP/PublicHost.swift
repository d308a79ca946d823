#if Server
import Foundation
import HTTPTypes

/// The host and port at which browsers reach the server.
struct PublicHost: Sendable {
    /// As configured; nil if pages are at any host.
    private let url: String?
    /// In lower case, without the port of the scheme.
    private let authority: String
    private let ownPort: String

    /// - Throws: ``ControlPlaneError`` with `invalidConfiguration` unless it is an HTTP address without a path.
    init(_ url: String?) throws(ControlPlaneError) {
        self.url = url
        guard let url else {
            (authority, ownPort) = ("", "")
            return
        }
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host, !host.isEmpty, parts.user == nil,
            parts.query == nil, parts.fragment == nil, ["", "/"].contains(parts.path)
        else {
            throw ControlPlaneError(
                .invalidConfiguration,
                "the public URL must be like https://upgrades.example.com, without a path"
            )
        }
        ownPort = scheme == "https" ? ":443" : ":80"
        authority = Self.normalized(parts.port.map { "\(host):\($0)" } ?? host, ownPort)
    }

    /// Refuses a request without one valid `Host` (RFC 9112, 3.2), and a page that is asked for at another host: a
    /// browser that was led there by another site would send the token along.
    ///
    /// - Throws: ``HTTPRefusal`` with 400 or 421.
    func check(_ call: Call, isPage: Bool) throws(HTTPRefusal) {
        guard let asked = call.authority else {
            throw HTTPRefusal(.badRequest, "invalidHost", "a request needs one Host field, with a host and a port")
        }
        guard isPage, let url, Self.normalized(asked, ownPort) != authority else { return }
        throw HTTPRefusal(.misdirectedRequest, "otherHost", "the pages of this server are at \(url)")
    }

    private static func normalized(_ authority: String, _ ownPort: String) -> String {
        let text = authority.lowercased()
        return text.hasSuffix(ownPort) ? String(text.dropLast(ownPort.count)) : text
    }
}
#endif
