/// What a cached loadable is found by: a path, from the general to the particular, and the type of its contents.
///
/// `["animals"]` is above `["animals", 7]`, which is above `["animals", 7, "photos"]`.
public struct LoadableKey: Sendable, Hashable, ExpressibleByArrayLiteral, CustomStringConvertible {
    /// A part of a path.
    public struct Part: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
        CustomStringConvertible
    {
        private enum Value: Hashable {
            case text(String)
            case number(Int)
        }

        private let value: Value

        public init(_ text: String) { value = .text(text) }
        public init(_ number: Int) { value = .number(number) }
        public init(stringLiteral text: String) { self.init(text) }
        public init(integerLiteral number: Int) { self.init(number) }

        public var description: String {
            switch value {
            case .text(let text): text
            case .number(let number): "\(number)"
            }
        }
    }

    public var parts: [Part]

    public init(_ parts: [Part]) { self.parts = parts }
    public init(arrayLiteral parts: Part...) { self.init(parts) }

    /// Whether `key` is this one, or below it.
    public func covers(_ key: LoadableKey) -> Bool { key.parts.starts(with: parts) }

    public var description: String { parts.map(\.description).joined(separator: "/") }
}
