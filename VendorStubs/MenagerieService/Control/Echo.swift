#if Sandbox
/// Requests as the control interface shows them: each secret is a fingerprint.
extension Sandbox {
    func fingerprint(of secret: String) -> String { "fingerprint:\(checksum("secret.\(secret)"))" }

    private static let secretHeaders: Set = ["authorization", "proxy-authorization", "cookie", "x-menagerie-key"]
    private static let secretMembers: Set = [
        "password", "token", "accessToken", "refreshToken", "access_token", "refresh_token", "legacyToken",
    ]

    /// Returns a request as JSON, its body as JSON if possible, otherwise as text.
    func echo(of request: RecordedRequest) -> JSON {
        var headers: [JSON] = []
        for (name, value) in request.headers {
            let isSecret = Self.secretHeaders.contains(name.lowercased())
            headers.append(["name": .string(name), "value": .string(isSecret ? fingerprint(of: value) : value)])
        }
        var body: JSON?
        if !request.body.isEmpty {
            do {
                body = redacted(try JSON(reading: request.body))
            } catch {
                body = .string(fingerprint(of: request.text))
            }
        }
        return .members([
            "method": .string(request.method),
            "path": .string(request.path),
            "query": .string(redacted(query: request.query)),
            "headers": .array(headers),
            "body": body,
        ])
    }

    private func redacted(_ value: JSON) -> JSON {
        switch value {
        case .array(let elements):
            return .array(elements.map(redacted))
        case .object(let members):
            var shown: [String: JSON] = [:]
            for (name, member) in members {
                if Self.secretMembers.contains(name), case .string(let secret) = member {
                    shown[name] = .string(fingerprint(of: secret))
                } else {
                    shown[name] = redacted(member)
                }
            }
            return .object(shown)
        default:
            return value
        }
    }

    private func redacted(query: String) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            guard pair.hasPrefix("signature=") else { return String(pair) }
            return "signature=\(fingerprint(of: String(pair.dropFirst("signature=".count))))"
        }.joined(separator: "&")
    }
}
#endif
