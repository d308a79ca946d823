/// A protocol that can be a port: each of its methods can be forwarded.
struct PortDeclaration: Hashable {
    var name: String
    /// "public" or "package".
    var access: String
    var methods: [Method]

    struct Method: Hashable {
        /// The name, with backticks if it needs them.
        var name: String
        var parameters: [Parameter]
        var result: Result
        var line: Int

        /// The full name as people write it: "forecast(of:days:)".
        var fullName: String { "\(name)(\(parameters.map { ($0.label ?? "_") + ":" }.joined()))" }
    }

    struct Parameter: Hashable {
        /// The label, without backticks that a call does not need; nil for `_`.
        var label: String?
        /// The name inside the method, where it is unique.
        var name: String
        /// The type as the protocol declares it: "@escaping @Sendable (Int) -> Void".
        var declaredType: String
        /// The type for a stored value: without `@escaping`.
        var type: String
    }

    enum Result: Hashable {
        case nothing
        case value(String)
        /// A stream of that element, with the type as the protocol declares it.
        case stream(element: String, type: String)
    }
}
