/// The arguments of a call by their names: `["id": id, "limit": 10]`.
public struct TapeArguments: Encodable, Sendable, ExpressibleByDictionaryLiteral {
    private let arguments: [String: any Encodable & Sendable]

    public init(dictionaryLiteral elements: (String, any Encodable & Sendable)...) {
        arguments = Dictionary(elements) { _, last in last }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (name, value) in arguments { try container.encode(value, forKey: Name(stringValue: name)) }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
