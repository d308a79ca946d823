import Cofferdam

/// What must not appear on a tape: fields by their path, values by their type, texts by what they contain.
///
/// It is applied to arguments and results, items and errors, keys and texts, before anything is kept. The arguments of
/// a replayed call are redacted in the same way, so that they still match. A redacted value keeps its shape, so that it
/// can be read back: a text becomes `[redacted]`, a number 0, a Boolean false.
///
/// The bytes of the finished tape are searched for known secrets once more, in every form in which they may be encoded.
public struct TapeRedaction: Sendable {
    private(set) var fields: Set<TapePathPattern> = []
    private(set) var types: Set<String> = []
    private(set) var secrets: [Secret] = []

    /// Redacts nothing.
    public init() {}

    /// Redacts a field and everything in it.
    ///
    /// - Parameter pattern: the end of the field's path. A whole path is "place.arguments.lines[0].article", or has
    ///   `result`, `items` or `error` instead of `arguments`. "password" selects every field of that name,
    ///   "result.*.token" allows any one field in between, "lines[*].article" allows any index.
    public func field(_ pattern: String) -> TapeRedaction {
        var redaction = self
        redaction.fields.insert(TapePathPattern(pattern))
        return redaction
    }

    /// Redacts every value of a type, wherever it is encoded as such; types are distinguished by their short names.
    public func type<Value: Encodable>(_ type: Value.Type) -> TapeRedaction {
        var redaction = self
        redaction.types.insert(String(describing: type))
        return redaction
    }

    /// Replaces a secret with its name wherever it is part of a key or a text, also in its hex and percent-encoded
    /// forms. An empty secret is ignored.
    ///
    /// - Parameter name: the secret's name, which must be the same for recording and replaying; the value may differ.
    public func secret(_ name: String, _ value: String) -> TapeRedaction {
        guard !value.isEmpty else { return self }
        var redaction = self
        redaction.secrets.append(Secret(name: name, value: value))
        // The longest first: one may be part of another.
        redaction.secrets.sort { ($0.bytes.count, $0.name) > ($1.bytes.count, $1.name) }
        return redaction
    }

    /// What a reader of the tape learns about this redaction.
    var summary: TapeRedactionSummary {
        TapeRedactionSummary(
            fields: fields.map(\.text).sorted(),
            types: types.sorted(),
            secrets: Set(secrets.map(\.name)).sorted()
        )
    }

    /// Returns this redaction with the fields and types of a tape's redaction.
    ///
    /// - Throws: `TapeError` with `secret` if the tape was recorded with a secret that this redaction does not name.
    func joined(by tape: Tape) throws(TapeError) -> TapeRedaction {
        let summary = tape.redaction
        let known = Set(secrets.map(\.name))
        if let missing = summary.secrets.first(where: { !known.contains($0) }) {
            throw TapeError(.secret, "recorded with a secret that the replay does not name", subject: missing)
        }
        var redaction = self
        redaction.fields.formUnion(summary.fields.map { TapePathPattern($0) })
        redaction.types.formUnion(summary.types)
        return redaction
    }
}

/// The redaction with which a tape was recorded, without the secrets' values.
package struct TapeRedactionSummary: Sendable, Hashable, Codable {
    package var fields: [String]
    package var types: [String]
    package var secrets: [String]
}

extension TapeRedaction {
    /// Returns the value as it may appear on a tape.
    ///
    /// - Throws: what the value's own encoding throws.
    func apply(to value: some Encodable, at path: TapePath) throws -> TapeValue {
        let tree = try TapeValue(encoding: value)
        let typed = types.isEmpty ? [] : try RedactedTypeFinder.paths(of: types, in: value)
        return apply(to: tree, at: path, typed: Set(typed.map(path.appending)))
    }

    func apply(to text: String) -> String { secrets.reduce(text) { text, secret in secret.replaced(in: text) } }

    private func apply(to tree: TapeValue, at path: TapePath, typed: Set<TapePath>) -> TapeValue {
        if typed.contains(path) || fields.contains(where: { $0.matches(path) }) { return tree.blank }
        switch tree {
        case .text(let text): return .text(apply(to: text))
        case .array(let values):
            return .array(
                values.enumerated().map { apply(to: $1, at: path.appending($0), typed: typed) }
            )
        case .object(let values):
            var object: [String: TapeValue] = [:]
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                object[unused(apply(to: key), in: object)] = apply(to: value, at: path.appending(key), typed: typed)
            }
            return .object(object)
        case .null, .bool, .integer, .decimal, .double: return tree
        }
    }

    /// Returns a key that the object does not have: two secrets may become one key.
    private func unused(_ key: String, in object: [String: TapeValue]) -> String {
        guard object[key] != nil else { return key }
        var number = 2
        while object["\(key) \(number)"] != nil { number += 1 }
        return "\(key) \(number)"
    }
}

extension TapeValue {
    /// The same shape without its content.
    fileprivate var blank: TapeValue {
        switch self {
        case .null: .null
        case .bool: .bool(false)
        case .integer, .decimal, .double: .integer(0)
        case .text: .text("[redacted]")
        case .array(let values): .array(values.map(\.blank))
        case .object(let values): .object(values.mapValues(\.blank))
        }
    }
}
