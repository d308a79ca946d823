#if Curl
package import HTTPTypes
package import Logging

/// Redacts header fields for the log: replaces values that may hold a secret, or a URL's path and query.
package struct HeaderRedaction: Sendable {
    /// Matched anywhere in a name: rather redact too much than too little.
    private static let secretParts = [
        "assertion", "auth", "cookie", "credential", "dpop", "hmac", "jwt", "key", "otp", "pass", "secret", "session",
        "signature", "token",
    ]
    /// Matched against whole words of a name: of links, and one that is a part of harmless words.
    private static let words: Set<Substring> = [
        "link", "location", "origin", "path", "query", "referer", "referrer", "refresh", "sign", "uri", "url",
    ]

    private let further: Set<HTTPField.Name>

    package init(_ further: Set<HTTPField.Name> = []) { self.further = further }

    package func isRedacted(_ name: HTTPField.Name) -> Bool {
        let text = name.canonicalName
        return further.contains(name)
            || Self.secretParts.contains { text.contains($0) }
            || text.split(separator: "-").contains { Self.words.contains($0) }
    }

    /// Returns the fields as metadata; values of the same name are joined by commas.
    package func metadata(of fields: HTTPFields) -> Logger.MetadataValue {
        var shown: [String: String] = [:]
        for field in fields {
            let name = field.name.canonicalName
            let value = isRedacted(field.name) ? "<redacted>" : field.value
            shown[name] = shown[name].map { isRedacted(field.name) ? $0 : "\($0), \(value)" } ?? value
        }
        return .dictionary(shown.mapValues { .string($0) })
    }
}
#endif
