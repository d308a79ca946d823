import Cofferdam

/// What `new-port` generates for each method of a port: the operation's name and effect, and the rules that fit it.
struct PortPlan {
    var port: PortDeclaration
    /// The module that declares the port.
    var module: String
    var types: DeclaredTypes
    var operations: [Operation]
    /// The names of all operations.
    private(set) var names: Set<String>
    /// The place of each part in the order in which to write them, from 1.
    private(set) var stepNumbers: [String: Int] = [:]
    /// The imports of the port's file.
    var sourceImports: [String]
    /// Whether imports have access levels: "public import", "package import".
    var hasImportAccess: Bool
    /// Whether V1 and V2 talk to a server, before which a proxy can stand.
    var usesProxy: Bool

    struct Operation {
        var method: PortDeclaration.Method
        /// The name, unique in the port: "forecast".
        var name: String
        /// The name as a part of the names of functions, unique there: "Forecast".
        var title: String
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
        /// Whether the cursors of a page and of a request can be replaced.
        var isSettable: Bool
        var cursor: CursorForm
        var request: Request
    }

    /// How a cursor becomes text and back: the rules hand cursors around as text.
    struct CursorForm: Equatable {
        /// The type; "String" for plain text.
        var type: String
        /// The label of the initialiser that takes the text, and the property that has it.
        var label: String?
        var property = ""

        /// Text from an optional cursor.
        func text(_ cursor: String) -> String { type == "String" ? cursor : "\(cursor)?.\(property)" }

        /// An optional cursor from optional text.
        func optional(_ text: String) -> String {
            type == "String" ? text : "\(text).map { \(cursor("$0")) }"
        }

        func cursor(_ text: String) -> String {
            type == "String" ? text : "\(type)(\(label.map { "\($0): " } ?? "")\(text))"
        }
    }

    /// Where a call has its cursor and its limit.
    struct Request {
        /// The path to each in the call's input: "after", "page.cursor".
        var cursor: String
        var limit: String
        /// Whether the cursor can be replaced.
        var isSettable: Bool
        /// The source text of each argument, in which "CURSOR" and "LIMIT" stand for the values.
        var arguments: [String]

        func arguments(cursor: String, limit: String) -> [String] {
            arguments.map { $0.replacing("CURSOR", with: cursor).replacing("LIMIT", with: limit) }
        }
    }

    /// - Parameter effects: the given effects, by the operation's name.
    /// - Throws: ``NewPortError`` for an effect of an operation that the port does not have.
    init(
        _ port: PortDeclaration,
        module: String,
        types: DeclaredTypes,
        effects: [(name: String, effect: Effect)] = [],
        sourceImports: [String] = [],
        hasImportAccess: Bool = false,
        usesProxy: Bool = false
    ) throws(NewPortError) {
        let names = Self.names(of: port.methods)
        self.names = Set(names)
        var types = types
        types.hide(names, in: module)
        var port = port
        port.methods = port.methods.map { $0.renamed(besides: port.name).showing(types) }
        self.port = port
        self.module = module
        self.types = types
        self.sourceImports = sourceImports
        self.hasImportAccess = hasImportAccess
        self.usesProxy = usesProxy
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
        let titles = Self.titles(of: names)
        operations = zip(port.methods, zip(names, titles)).map { method, named in
            let (name, title) = named
            let assumed = AssumedEffect(method)
            let effect = given[name] ?? assumed.effect
            let (shape, remark) = Self.shape(of: method, effect, types)
            return Operation(
                method: method,
                name: name,
                title: title,
                effect: effect,
                assumption: given[name] == nil ? assumed.reason : nil,
                shape: shape,
                remark: remark
            )
        }
        for (index, step) in steps.enumerated() where stepNumbers[step] == nil { stepNumbers[step] = index + 1 }
        let table = "\(port.name)Operations"
        if port.methods.contains(where: { $0.name.filter { $0 != "`" } == table }) {
            throw NewPortError(
                "'\(port.name)' has a function '\(table)', which would hide a type that new-port generates: rename that function"
            )
        }
        if let hiding = GeneratedNames.refused.sorted().first(where: types.names.contains) {
            throw NewPortError(
                "'\(hiding)' is a type of the sources, and hides what new-port's files need: rename that type"
            )
        }
        if let taken = generated.first(where: types.names.contains) {
            throw NewPortError(
                "'\(taken)' is a type of the sources, and new-port generates one of that name: rename either that type or '\(port.name)'"
            )
        }
    }

    /// The methods' names. Overloads also have their labels: "text", "textFor".
    static func names(of methods: [PortDeclaration.Method]) -> [String] {
        var used: Set<String> = []
        return methods.map { method in
            let base = GeneratedNames.word(method.name.filter { $0 != "`" })
            var name = base
            for parameter in method.parameters where used.contains(name) {
                let label = GeneratedNames.word((parameter.label ?? parameter.name).filter { $0 != "`" })
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

    /// The names as parts of other names, so that no two of these are the same.
    private static func titles(of names: [String]) -> [String] {
        var used = Set(names).union([
            "prepareCalls", "inject", "clearFaults", "arrivals", "waitForArrivals", "waitForHeld", "release", "clock",
            "close", "proxy",
            "request", "bytes",
        ])
        return names.map { name in
            var title = name.capitalizedFirst
            func parts() -> [String] {
                [
                    "set\(title)", "set\(title)Quirk", "expire\(title)Cursors", "prepare\(title)", "send\(title)",
                    "waitFor\(title)Subscribers", "simulate\(title)", "fault\(title)", "unknown\(title)",
                    "blank\(title)",
                ]
            }
            while !used.isDisjoint(with: parts()) { title += "_" }
            used.formUnion(parts())
            return title
        }
    }

    private static func shape(
        of method: PortDeclaration.Method,
        _ effect: Effect,
        _ types: DeclaredTypes
    ) -> (Shape, String?) {
        switch method.result {
        case .stream(let event, _):
            if let odd = method.parameters.first(where: { types.value($0.type, .number(1)) == nil }) {
                return (.own, "no value of '\(odd.type)' could be made to subscribe with")
            }
            return types.isHashable(event) ? (.stream(event: event), nil) : (.own, unknown(event))
        case .nothing: return (.own, "it returns nothing")
        case .value(let output):
            guard effect == .read else { return (.own, "it does not only read") }
            do {
                if let list = try list(method, output, types) { return (.list(list), nil) }
            } catch {
                return (.own, error.reason)
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

    /// Why a family does not fit a method although it looks as if it did.
    private struct Misfit: Error {
        var reason: String

        init(_ why: String) { reason = "it takes a cursor and a limit, but \(why)" }
    }

    /// Nil if the method does not look like one that reads pages.
    private static func list(
        _ method: PortDeclaration.Method,
        _ output: String,
        _ types: DeclaredTypes
    ) throws(Misfit) -> List? {
        guard let request = request(method, types) else { return nil }
        guard let page = types.find(output) else { throw Misfit("'\(output)' is not a type of the port's target") }
        let cursorType = request.type
        guard
            let initializer = page.type.initializers.first(where: { $0.count { !$0.hasDefault } == 2 })?
                .filter({ !$0.hasDefault }),
            let items = initializer.first(where: { DeclaredTypes.element($0.type) != nil }),
            let next = initializer.first(where: { DeclaredTypes.wrapped($0.type) == cursorType }),
            let item = DeclaredTypes.element(items.type)
        else {
            throw Misfit("'\(output)' has no initialiser for other targets that takes its items and its next cursor")
        }
        for field in [items, next] where page.type.properties[field.name] == nil {
            throw Misfit("other targets cannot see '\(field.name)' of '\(output)'")
        }
        guard types.isHashable(item) else { throw Misfit(unknown(item)) }
        guard types.value(item, .index)?.contains("number") == true else {
            throw Misfit("no initialiser of '\(item)' was found that takes a text or a number")
        }
        guard let cursor = cursorForm(cursorType, types) else {
            throw Misfit("no initialiser of '\(cursorType)' was found that takes the text of one of its properties")
        }
        if let missing = request.missing { throw Misfit("no value of '\(missing)' could be made for it") }
        return List(
            item: item,
            page: page.text,
            items: items,
            next: next,
            beginsWithItems: initializer.first == items,
            isSettable: request.place.isSettable && page.type.properties[next.name]?.isSettable ?? false,
            cursor: cursor,
            request: request.place
        )
    }

    private static func cursorForm(_ type: String, _ types: DeclaredTypes) -> CursorForm? {
        if type == "String" { return CursorForm(type: type) }
        guard let use = types.find(type) else { return nil }
        for initializer in use.type.initializers {
            let fields = initializer.filter { !$0.hasDefault }
            guard fields.count == 1, fields[0].type == "String", use.type.properties[fields[0].name]?.type == "String"
            else { continue }
            return CursorForm(type: use.text, label: fields[0].label, property: fields[0].name)
        }
        return nil
    }

    /// A request for a page: its cursor's type, and where it has it.
    fileprivate struct FoundRequest {
        var type: String
        var place: Request
        /// The type of another argument of which no value could be made.
        var missing: String?
    }

    /// The cursor and the limit of a method: among its parameters, or in a request that is its only one.
    private static func request(_ method: PortDeclaration.Method, _ types: DeclaredTypes) -> FoundRequest? {
        let parameters = method.parameters
        if parameters.count == 1, DeclaredTypes.wrapped(parameters[0].type) == nil {
            guard var found = request(of: parameters[0].type, types) else { return nil }
            found.place.arguments = [labelled(parameters[0].label, found.place.arguments[0])]
            return found
        }
        let fields = parameters.map { DeclaredTypes.Field(label: $0.label, name: $0.name, type: $0.type) }
        guard parameters.count > 1, let (cursor, limit) = pageFields(fields) else { return nil }
        var found = FoundRequest(
            type: DeclaredTypes.wrapped(cursor.type) ?? "",
            place: Request(cursor: cursor.name, limit: limit.name, isSettable: true, arguments: [])
        )
        found.fill(fields, cursor, limit, types)
        return found
    }

    /// The cursor and the limit in a type: its own, or those of a part.
    private static func request(of type: String, _ types: DeclaredTypes, depth: Int = 0) -> FoundRequest? {
        guard depth < 3, let use = types.find(type), !use.type.isEnumeration else { return nil }
        for fields in use.type.initializers {
            if let (cursor, limit) = pageFields(fields) {
                guard use.type.properties[cursor.name] != nil, use.type.properties[limit.name] != nil else { continue }
                var found = FoundRequest(
                    type: DeclaredTypes.wrapped(cursor.type) ?? "",
                    place: Request(
                        cursor: cursor.name,
                        limit: limit.name,
                        isSettable: use.type.properties[cursor.name]?.isSettable ?? false,
                        arguments: []
                    )
                )
                found.fill(fields.filter { !$0.hasDefault || $0 == cursor || $0 == limit }, cursor, limit, types)
                found.place.arguments = ["\(use.text)(\(found.place.arguments.joined(separator: ", ")))"]
                return found
            }
            for part in fields {
                guard let property = use.type.properties[part.name],
                    var found = request(of: part.type, types, depth: depth + 1)
                else { continue }
                found.place.cursor = "\(part.name).\(found.place.cursor)"
                found.place.limit = "\(part.name).\(found.place.limit)"
                found.place.isSettable = found.place.isSettable && property.isSettable
                let inner = found.place.arguments[0]
                found.place.arguments = []
                found.fill(fields.filter { !$0.hasDefault || $0 == part }, part, nil, types, inner)
                found.place.arguments = ["\(use.text)(\(found.place.arguments.joined(separator: ", ")))"]
                return found
            }
        }
        return nil
    }

    private static func pageFields(_ fields: [DeclaredTypes.Field])
        -> (cursor: DeclaredTypes.Field, limit: DeclaredTypes.Field)?
    {
        let cursors = fields.filter { field in
            guard let type = DeclaredTypes.wrapped(field.type) else { return false }
            let words = [field.name, field.label ?? "", type].map { $0.lowercased() }
            return ["cursor", "after", "token", "page"].contains { word in words.contains { $0.contains(word) } }
                || fields.count == 2 && type == "String"
        }
        guard cursors.count == 1, let limit = fields.first(where: { $0.type == "Int" }) else { return nil }
        return (cursors[0], limit)
    }

    fileprivate static func labelled(_ label: String?, _ value: String) -> String {
        (label.map { "\($0): " } ?? "") + value
    }
}

extension PortPlan.FoundRequest {
    /// Adds an argument for each field.
    fileprivate mutating func fill(
        _ fields: [DeclaredTypes.Field],
        _ cursor: DeclaredTypes.Field,
        _ limit: DeclaredTypes.Field?,
        _ types: DeclaredTypes,
        _ first: String = "CURSOR"
    ) {
        for field in fields {
            let value: String? =
                field == cursor ? first : field == limit ? "LIMIT" : types.value(field.type, .number(1))
            if value == nil { missing = field.type }
            place.arguments.append(PortPlan.labelled(field.label, value ?? ""))
        }
    }
}

/// The reason for not writing a port.
struct NewPortError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
