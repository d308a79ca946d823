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

        /// The method with other names for those parameters that mean something else in its generated body.
        ///
        /// - Parameter port: the protocol's name.
        func renamed(besides port: String) -> Self {
            var method = self
            let names = Set(parameters.map(\.name))
            for index in parameters.indices {
                let name = parameters[index].name
                guard
                    !GeneratedNames.isPlain(name) || GeneratedNames.imported[name] != nil || name == "\(port)Operations"
                else { continue }
                var other = "value\(index + 1)"
                while names.contains(other) { other += "_" }
                method.parameters[index].name = other
            }
            return method
        }

        /// The method with the types as other modules name them.
        func showing(_ types: DeclaredTypes) -> Self {
            var method = self
            for index in parameters.indices {
                method.parameters[index].declaredType = types.shown(parameters[index].declaredType)
                method.parameters[index].type = types.shown(parameters[index].type)
            }
            switch result {
            case .nothing: break
            case .value(let type): method.result = .value(types.shown(type))
            case .stream(let element, let type):
                method.result = .stream(element: types.shown(element), type: types.shown(type))
            }
            return method
        }
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
