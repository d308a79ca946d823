import CVendor

/// The vendor's V2: the same names, other layouts, and an actor.
public struct Document: Sendable {
    public let revision: Double
    public let entries: [String: Entry]

    public struct Entry: Sendable {
        public let weight: Double
        public let text: String
    }
}

public actor Parser {
    public static let name = "Vendor 2"

    public init() {}

    public func parse(_ text: String) -> Document {
        var entries: [String: Document.Entry] = [:]
        for line in text.split(separator: "\n") {
            let token = cvendor_parse(String(line))
            let entry = Document.Entry(weight: token.weight, text: String(line.dropFirst(token.text)).uppercased())
            entries[String(line.prefix(token.key))] = entry
        }
        return Document(revision: 2.5, entries: entries)
    }

    public nonisolated var parsers: [String] { [Self.name, String(cString: cvendor_name())] }
}
