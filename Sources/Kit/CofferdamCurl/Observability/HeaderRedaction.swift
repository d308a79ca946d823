package import HTTPTypes
package import Logging

/// Header fields as they may be logged: values that may hold a secret, or a URL's path and query, are replaced.
package struct HeaderRedaction: Sendable {
    /// Anywhere in a name: better one too many.
    private static let secretParts = [
        "auth", "cookie", "credential", "jwt", "key", "passwd", "password", "secret", "session", "signature", "token",
    ]
    /// As one of a name's words.
    private static let linkWords: Set<Substring> = [
        "link", "location", "origin", "path", "query", "referer", "referrer", "refresh", "uri", "url",
    ]

    private let further: Set<HTTPField.Name>

    package init(_ further: Set<HTTPField.Name> = []) { self.further = further }

    package func isRedacted(_ name: HTTPField.Name) -> Bool {
        let text = name.canonicalName
        return further.contains(name)
            || Self.secretParts.contains { text.contains($0) }
            || text.split(separator: "-").contains { Self.linkWords.contains($0) }
    }

    /// Values of the same name in one, separated by commas.
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
