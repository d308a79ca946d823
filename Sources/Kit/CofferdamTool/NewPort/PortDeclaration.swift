/// A protocol that can be a port: each of its methods can be forwarded.
struct PortDeclaration: Hashable {
    var name: String
    /// "public" or "package".
    var access: String
    var methods: [Method]

    struct Method: Hashable {
        /// With its backticks, if it needs them.
        var name: String
        var parameters: [Parameter]
        var result: Result
        var line: Int

        /// As people write it: "forecast(of:days:)".
        var fullName: String { "\(name)(\(parameters.map { ($0.label ?? "_") + ":" }.joined()))" }
    }

    struct Parameter: Hashable {
        /// Nil for `_`; without the backticks that it does not need in a call.
        var label: String?
        /// Its name inside the method; unique there.
        var name: String
        /// As the protocol has it: "@escaping @Sendable (Int) -> Void".
        var declaredType: String
        /// As a value of that type is declared: without `@escaping`.
        var type: String
    }

    enum Result: Hashable {
        case nothing
        case value(String)
        /// A stream of that element; the type as the protocol has it.
        case stream(element: String, type: String)
    }
}
