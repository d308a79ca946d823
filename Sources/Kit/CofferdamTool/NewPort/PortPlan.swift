import Cofferdam

/// What `new-port` generates for each method of a port: the operation's name and effect, and the rules that fit it.
struct PortPlan {
    var port: PortDeclaration
    /// The module that declares the port.
    var module: String
    var types: DeclaredTypes
    var operations: [Operation]
    /// The imports of the port's file.
    var sourceImports: [String]
    /// Whether imports have access levels: "public import", "package import".
    var hasImportAccess: Bool

    struct Operation {
        var method: PortDeclaration.Method
        /// The name, unique in the port: "forecast".
        var name: String
        var effect: Effect
        /// What was assumed about the effect; nil if the effect was given.
        var assumption: String?
        var shape: Shape
        /// Why no family of the kit fits; nil if one does.
        var remark: String?

        /// Whether it is a call, and not a stream.
        var isCall: Bool { if case .stream = method.result { false } else { true } }
    }

    enum Shape {
        /// Reads one entity for one input.
        case get(input: String, entity: String)
        /// Reads a page by a cursor and a limit.
        case list(List)
        case stream(event: String)
        /// Has a rule of the port's own.
        case own
    }

    /// How a method reads pages.
    struct List {
        var item: String
        /// The type of a page and the names of its fields.
        var page: String
        var items: DeclaredTypes.Field
        var next: DeclaredTypes.Field
        /// Whether the page's items come first in its initialiser.
        var beginsWithItems: Bool
        /// Whether the page's cursor can be replaced.
        var isSettable: Bool
        var cursor: String
        var limit: String
    }

    /// - Parameter effects: the given effects, by the operation's name.
    /// - Throws: ``NewPortError`` for an effect of an operation that the port does not have.
    init(
        _ port: PortDeclaration,
        module: String,
        types: DeclaredTypes,
        effects: [(name: String, effect: Effect)] = [],
        sourceImports: [String] = [],
        hasImportAccess: Bool = false
    ) throws(NewPortError) {
        self.port = port
        self.module = module
        self.types = types
        self.sourceImports = sourceImports
        self.hasImportAccess = hasImportAccess
        let names = Self.names(of: port.methods)
        var given: [String: Effect] = [:]
        for (name, effect) in effects {
            guard names.contains(name) else {
                throw NewPortError(
                    "'\(port.name)' has no operation '\(name)'; it has \(names.joined(separator: ", "))"
                )
            }
            if let other = given[name], other != effect {
                throw NewPortError("'\(name)' cannot be both \(other.rawValue) and \(effect.rawValue)")
            }
            given[name] = effect
        }
        operations = zip(port.methods, names).map { method, name in
            let assumed = AssumedEffect(method)
            let effect = given[name] ?? assumed.effect
            let (shape, remark) = Self.shape(of: method, effect, types)
            return Operation(
                method: method,
                name: name,
                effect: effect,
                assumption: given[name] == nil ? assumed.reason : nil,
                shape: shape,
                remark: remark
            )
        }
    }

    /// The methods' names. Overloads also have their labels: "text", "textFor".
    static func names(of methods: [PortDeclaration.Method]) -> [String] {
        var used: Set<String> = []
        return methods.map { method in
            let base = method.name.filter { $0 != "`" }
            var name = base
            for parameter in method.parameters where used.contains(name) {
                let label = parameter.label ?? parameter.name
                name += label.prefix(1).uppercased() + label.dropFirst()
            }
            var number = 2
            while used.contains(name) {
                name = "\(base)\(number)"
                number += 1
            }
            used.insert(name)
            return name
        }
    }

    private static func shape(
        of method: PortDeclaration.Method,
        _ effect: Effect,
        _ types: DeclaredTypes
    ) -> (Shape, String?) {
        switch method.result {
        case .stream(let event, _):
            guard method.parameters.isEmpty else { return (.own, "a stream with parameters") }
            return types.isHashable(event) ? (.stream(event: event), nil) : (.own, unknown(event))
        case .nothing: return (.own, "it returns nothing")
        case .value(let output):
            guard effect == .read else { return (.own, "it does not only read") }
            if let pages = PageParameters(method) {
                do {
                    return (.list(try list(pages, output, types)), nil)
                } catch {
                    return (.own, error.reason)
                }
            }
            guard method.parameters.count == 1 else { return (.own, "it reads neither one thing by its id nor a page") }
            let input = method.parameters[0].type
            guard DeclaredTypes.wrapped(output) == nil, DeclaredTypes.element(output) == nil else {
                return (.own, "it does not read one thing by its id")
            }
            guard types.isHashable(output) else { return (.own, unknown(output)) }
            guard types.isHashable(input) else { return (.own, unknown(input)) }
            for (type, sample) in [(output, DeclaredTypes.Sample.zero), (output, .number(2)), (input, .number(1))]
            where types.value(type, sample) == nil {
                return (.own, "no initialiser of '\(type)' was found that another target can call with plain values")
            }
            return (.get(input: input, entity: output), nil)
        }
    }

    private static func unknown(_ type: String) -> String { "'\(type)' is not known to be Hashable" }

    /// The parameters of a method that reads pages.
    private struct PageParameters {
        var cursor: String
        var limit: String

        init?(_ method: PortDeclaration.Method) {
            guard method.parameters.count == 2,
                let cursor = method.parameters.first(where: { $0.type == "String?" }),
                let limit = method.parameters.first(where: { $0.type == "Int" })
            else { return nil }
            (self.cursor, self.limit) = (cursor.name, limit.name)
        }
    }

    /// Why a family does not fit a method although it looks as if it did.
    private struct Misfit: Error {
        var reason: String
    }

    private static func list(
        _ parameters: PageParameters,
        _ output: String,
        _ types: DeclaredTypes
    ) throws(Misfit) -> List {
        func misfit(_ why: String) -> Misfit { Misfit(reason: "it takes a cursor and a limit, but \(why)") }
        guard let page = types[output] else { throw misfit("'\(output)' is not a type of the port's target") }
        guard let initializer = page.initializers.first(where: { $0.count == 2 }),
            let items = initializer.first(where: { DeclaredTypes.element($0.type) != nil }),
            let next = initializer.first(where: { $0.type == "String?" }),
            let item = DeclaredTypes.element(items.type)
        else {
            throw misfit("'\(output)' has no initialiser for other targets that takes its items and its next cursor")
        }
        for field in [items, next] where page.properties[field.name] == nil {
            throw misfit("other targets cannot see '\(field.name)' of '\(output)'")
        }
        guard types.isHashable(item) else { throw misfit(unknown(item)) }
        guard types.value(item, .index)?.contains("number") == true else {
            throw misfit("no initialiser of '\(item)' was found that takes a text or a number")
        }
        return List(
            item: item,
            page: output,
            items: items,
            next: next,
            beginsWithItems: initializer.first == items,
            isSettable: page.properties[next.name] ?? false,
            cursor: parameters.cursor,
            limit: parameters.limit
        )
    }
}

/// The reason for not writing a port.
struct NewPortError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
