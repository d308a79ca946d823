/// Finds where values of certain types are encoded within a value: an encoder that keeps only paths.
final class RedactedTypeFinder {
    private let types: Set<String>
    private var found: [TapePath] = []

    private init(_ types: Set<String>) { self.types = types }

    static func paths(of types: Set<String>, in value: some Encodable) throws -> [TapePath] {
        let finder = RedactedTypeFinder(types)
        try finder.visit(value, at: TapePath())
        return finder.found
    }

    fileprivate func visit(_ value: some Encodable, at path: TapePath) throws {
        if types.contains(String(describing: type(of: value))) {
            found.append(path)
        } else if !Self.isLeaf(value) {
            try value.encode(to: FinderEncoder(finder: self, path: path))
        }
    }

    /// Whether the value's encoding is the value itself.
    private static func isLeaf(_ value: some Encodable) -> Bool {
        value is String || value is Bool || value is any FixedWidthInteger || value is any BinaryFloatingPoint
    }
}

private struct FinderEncoder: Encoder {
    let finder: RedactedTypeFinder
    let path: TapePath
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(FinderKeyed(finder: finder, path: path))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { FinderUnkeyed(finder: finder, path: path) }
    func singleValueContainer() -> any SingleValueEncodingContainer { FinderSingle(finder: finder, path: path) }
}

private struct FinderKeyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let finder: RedactedTypeFinder
    let path: TapePath
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {}

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try finder.visit(value, at: path.appending(key.stringValue))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        superEncoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        superEncoder(forKey: key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { FinderEncoder(finder: finder, path: path.appending("super")) }

    func superEncoder(forKey key: Key) -> any Encoder {
        FinderEncoder(finder: finder, path: path.appending(key.stringValue))
    }
}

private struct FinderUnkeyed: UnkeyedEncodingContainer {
    let finder: RedactedTypeFinder
    let path: TapePath
    private(set) var count = 0
    var codingPath: [any CodingKey] { [] }

    init(finder: RedactedTypeFinder, path: TapePath) {
        self.finder = finder
        self.path = path
    }

    private mutating func next() -> TapePath {
        defer { count += 1 }
        return path.appending(count)
    }

    mutating func encodeNil() { count += 1 }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try finder.visit(value, at: next()) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        superEncoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { superEncoder().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { FinderEncoder(finder: finder, path: next()) }
}

private struct FinderSingle: SingleValueEncodingContainer {
    let finder: RedactedTypeFinder
    let path: TapePath
    var codingPath: [any CodingKey] { [] }

    func encodeNil() {}
    func encode<Value: Encodable>(_ value: Value) throws { try finder.visit(value, at: path) }
}
