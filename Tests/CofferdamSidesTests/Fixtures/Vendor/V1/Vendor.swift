import CVendor

/// The vendor's V1: it calls its C module, and what it parses is a class.
public final class Document {
    public let entries: [(key: String, text: String)]

    init(entries: [(key: String, text: String)]) { self.entries = entries }
}

public struct Parser {
    public static let name = "Vendor 1"

    public init() {}

    public func parse(_ text: String) -> Document {
        Document(
            entries: text.split(separator: "\n").map { line in
                let token = cvendor_parse(String(line))
                return (String(line.prefix(Int(token.key))), String(line.dropFirst(Int(token.key) + 1)))
            }
        )
    }

    public var parsers: [String] { [Self.name, String(cString: cvendor_name())] }
}
