/// The types that a target declares, as far as their source shows: whether they are hashable, and how another target
/// can create them. A nested type is known by its whole name, "Order.ID", and a generic one without its arguments.
struct DeclaredTypes {
    private var types: [String: DeclaredType] = [:]
    /// The files that could not be read, and why: "Sources/App/Odd.swift:3: a comment does not end".
    private(set) var unread: [String] = []

    struct DeclaredType: Hashable {
        /// The generic parameters: "Item".
        var parameters: [String] = []
        var inherited: Set<String> = []
        /// The initialisers that other targets see.
        var initializers: [[Field]] = []
        /// The stored and computed properties that other targets see, by name.
        var properties: [String: Property] = [:]
        /// The static properties of the type itself that other targets see.
        var constants: [String] = []
        /// The cases of an enumeration that have no payload.
        var cases: [String] = []
        var hasPayloads = false
        var isEnumeration = false
    }

    struct Property: Hashable {
        /// Nil if it is inferred.
        var type: String?
        /// Whether another target may set it.
        var isSettable: Bool
    }

    struct Field: Hashable {
        /// Nil for `_`.
        var label: String?
        var name: String
        var type: String
        var hasDefault = false
    }

    /// A file of the target.
    struct Source {
        var file: String
        var text: String
    }

    /// - Parameters:
    ///   - sources: the target's files. A file that cannot be read declares nothing and is ``unread``.
    ///   - access: the access level that another target needs: "public" or "package".
    init(in sources: [Source], access: String) {
        let visible: Set = access == "package" ? ["public", "open", "package"] : ["public", "open"]
        for source in sources {
            do {
                add(try SwiftTokens(source.text).tokens[...], visible, within: "")
            } catch {
                unread.append("\(source.file):\(error.line): \(error.text)")
            }
        }
    }

    /// The types at the top level whose names mean something else in the generated files, with their modules.
    private var modules: [String: String] = [:]

    /// The names of all types at the top level.
    var names: Set<String> { Set(types.keys.filter { !$0.contains(".") }).union(protocols) }
    private var protocols: Set<String> = []

    /// Notes which types other modules must name with their module, because something in the generated files has their name.
    ///
    /// - Parameter operations: the names of the port's operations.
    mutating func hide(_ operations: [String], in module: String) {
        guard !names.contains(module) else { return }
        for name in names
        where GeneratedNames.imported[name] != nil || GeneratedNames.generic.contains(name) || operations.contains(name)
            || name.first?.isUppercase != true
        {
            modules[name] = module
        }
    }

    /// A type, or a part of a declaration, as the generated files write it.
    func shown(_ type: String) -> String { modules.isEmpty ? type : qualified(type, in: "") }

    subscript(_ name: String) -> DeclaredType? { types[name] }

    /// A type as it is used somewhere.
    struct Use {
        /// The name with its arguments, for use anywhere: "Page<Order>".
        var text: String
        /// The declaration, in which each generic parameter is replaced by its argument, and each name is whole.
        var type: DeclaredType
    }

    /// Returns the declaration of a type that was written inside another one.
    ///
    /// - Parameter scope: the whole name of the type in which it was written; empty for none.
    func find(_ written: String, in scope: String = "") -> Use? {
        let words = written.prefix { $0 != "<" }.split(separator: ".").map { $0.filter { $0 != "`" } }
        let isQualified = words.count > 1 && modules[words[1]] == words[0]
        let name = words.dropFirst(isQualified ? 1 : 0).joined(separator: ".")
        let arguments = Self.arguments(of: written)
        var scope = scope
        while true {
            let whole = scope.isEmpty ? name : "\(scope).\(name)"
            if let type = types[whole], type.parameters.count == arguments.count {
                let outer = scope
                let used = arguments.map { qualified($0, in: outer) }
                let text = self.written(whole)
                return Use(
                    text: used.isEmpty ? text : "\(text)<\(used.joined(separator: ", "))>",
                    type: declaration(type, whole, used)
                )
            }
            if scope.isEmpty { return nil }
            scope = scope.lastIndex(of: ".").map { String(scope[..<$0]) } ?? ""
        }
    }

    /// Replaces the generic parameters, and makes the names whole.
    private func declaration(_ type: DeclaredType, _ name: String, _ arguments: [String]) -> DeclaredType {
        let replaced = Dictionary(uniqueKeysWithValues: zip(type.parameters, arguments))
        func outside(_ text: String) -> String { qualified(text, in: name, replacing: replaced) }
        var type = type
        type.initializers = type.initializers.map { fields in
            fields.map { Field(label: $0.label, name: $0.name, type: outside($0.type), hasDefault: $0.hasDefault) }
        }
        type.properties = type.properties.mapValues { Property(type: $0.type.map(outside), isSettable: $0.isSettable) }
        return type
    }

    /// Makes each name in a type whole, as it must be written outside that scope.
    private func qualified(_ type: String, in scope: String, replacing: [String: String] = [:]) -> String {
        var (text, name) = ("", "")
        func flush() {
            guard !name.isEmpty else { return }
            text += replacing[name] ?? wholeName(name, in: scope)
            name = ""
        }
        for character in type {
            if character.isLetter || character.isNumber || "_.`".contains(character) {
                name.append(character)
            } else {
                flush()
                text.append(character)
            }
        }
        flush()
        return text
    }

    private func wholeName(_ name: String, in scope: String) -> String {
        var scope = scope
        while !scope.isEmpty {
            if types["\(scope).\(name)"] != nil { return written("\(scope).\(name)") }
            scope = scope.lastIndex(of: ".").map { String(scope[..<$0]) } ?? ""
        }
        return written(name)
    }

    /// A whole name, with its module if the generated files need it.
    private func written(_ whole: String) -> String {
        let first = whole.prefix { $0 != "." }.filter { $0 != "`" }
        guard let module = modules[first] else { return whole }
        return "\(module).\(whole)"
    }

    /// "Order" of "Page<Order>".
    private static func arguments(of type: String) -> [String] {
        guard let start = type.firstIndex(of: "<"), type.last == ">" else { return [] }
        var (parts, depth) = ([""], 0)
        for character in type[type.index(after: start)...].dropLast() {
            if "<([".contains(character) { depth += 1 } else if ">)]".contains(character) { depth -= 1 }
            if character == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        return parts.map { String($0.drop { $0 == " " }) }
    }

    /// Whether a type is known to be `Hashable`.
    func isHashable(_ type: String, depth: Int = 0) -> Bool {
        if Self.hashable.contains(type), types[type] == nil { return true }
        guard depth < Self.maxDepth else { return false }
        if let inner = Self.wrapped(type) ?? Self.element(type) { return isHashable(inner, depth: depth + 1) }
        guard let use = find(type) else { return false }
        return (use.type.inherited.contains("Hashable") || use.type.isEnumeration && !use.type.hasPayloads)
            && Self.arguments(of: use.text).allSatisfy { isHashable($0, depth: depth + 1) }
    }

    // MARK: Values

    /// The kind of value to make.
    enum Sample: Hashable {
        /// Zeros, empty texts and nil.
        case zero
        /// An ordinary value, different for each number.
        case number(Int)
        /// The value for the variable `number`.
        case index
    }

    /// Returns the source text of a value; nil if it is unknown how to make one.
    ///
    /// - Parameter fixed: a field to replace, with its name, type and value.
    func value(
        _ type: String,
        _ sample: Sample,
        fixed: (name: String, type: String, value: String)? = nil,
        depth: Int = 0
    ) -> String? {
        if types[type] == nil, let plain = plainValue(type, sample) { return plain }
        guard depth < Self.maxDepth else { return nil }
        if let wrapped = Self.wrapped(type) {
            return sample == .zero ? "nil" : value(wrapped, sample, depth: depth + 1)
        }
        if let element = Self.element(type) {
            return sample == .zero ? "[]" : value(element, sample, depth: depth + 1).map { "[\($0)]" }
        }
        guard let use = find(type) else { return nil }
        if use.type.isEnumeration {
            return (sample == .zero ? use.type.cases.first : use.type.cases.last).map { "\(use.text).\($0)" }
        }
        for initializer in use.type.initializers {
            let fields = initializer.filter { !$0.hasDefault }
            var arguments: [String] = []
            for field in fields {
                let isFixed = fixed.map { $0.type == field.type && [$0.name, "id"].contains(field.name) } ?? false
                let text = isFixed ? fixed?.value : value(field.type, sample, depth: depth + 1)
                if let text { arguments.append((field.label.map { "\($0): " } ?? "") + text) }
            }
            if arguments.count == fields.count { return "\(use.text)(\(arguments.joined(separator: ", ")))" }
        }
        return use.type.constants.first.map { "\(use.text).\($0)" }
    }

    private func plainValue(_ type: String, _ sample: Sample) -> String? {
        switch (type, sample) {
        case ("String", .zero): "\"\""
        case ("String", .number(let number)): "\"text \(number)\""
        case ("String", .index): #""text \(1000 + number)""#
        case ("Bool", _): sample == .zero ? "false" : "true"
        case (_, .zero) where Self.numbers.contains(type): "0"
        case (_, .number(let number)) where Self.numbers.contains(type): "\(number)"
        case ("Int", .index): "number"
        case (_, .index) where Self.numbers.contains(type): "\(type)(number)"
        case ("Duration", .zero): "Duration.zero"
        case ("Duration", .number(let number)): "Duration.seconds(\(number))"
        case ("Duration", .index): "Duration.seconds(number)"
        case ("Date", .zero): "Date(timeIntervalSince1970: 0)"
        case ("Date", .number(let number)): "Date(timeIntervalSince1970: \(number))"
        case ("Date", .index): "Date(timeIntervalSince1970: Double(number))"
        case ("Data", .zero): "Data()"
        case ("Data", .number(let number)): "Data([\(number)])"
        case ("Data", .index): #"Data("\(number)".utf8)"#
        case ("UUID", .zero): Self.uuid("0")
        case ("UUID", .number(let number)): Self.uuid("\(number)")
        case ("UUID", .index): Self.uuid("UInt8(truncatingIfNeeded: number)")
        default: nil
        }
    }

    /// The maximum depth to which types are examined.
    private static let maxDepth = 6

    private static let numbers: Set = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float",
    ]
    /// The types of Foundation that have a sample.
    static let ofFoundation: Set = ["Date", "Data", "UUID"]
    private static let hashable = numbers.union(["String", "Bool", "Duration", "Character"]).union(ofFoundation)

    /// The UUID whose last byte has that value.
    private static func uuid(_ byte: String) -> String {
        "UUID(uuid: (\(String(repeating: "0, ", count: 15))\(byte)))"
    }

    /// "Animal" of "Animal?".
    static func wrapped(_ type: String) -> String? {
        type.hasSuffix("?") ? String(type.dropLast()) : argument(of: "Optional", in: type)
    }

    /// "Animal" of "[Animal]".
    static func element(_ type: String) -> String? {
        guard type.hasPrefix("["), type.hasSuffix("]"), type.count > 2, !type.contains(":") else {
            return argument(of: "Array", in: type)
        }
        let inside = type.dropFirst().dropLast()
        return inside.contains("]") && !inside.contains("[") ? nil : String(inside)
    }

    private static func argument(of generic: String, in type: String) -> String? {
        guard type.hasPrefix(generic + "<"), type.hasSuffix(">") else { return nil }
        return String(type.dropFirst(generic.count + 1).dropLast())
    }

    // MARK: Reading

    private static let kinds: Set = ["struct", "enum", "class", "actor", "extension", "protocol"]

    /// - Parameter scope: the whole name of the type whose body this is; empty at the top of a file.
    private mutating func add(_ tokens: ArraySlice<SwiftToken>, _ visible: Set<String>, within scope: String) {
        var (index, depth) = (tokens.startIndex, 0)
        while index < tokens.endIndex {
            let token = tokens[index]
            if depth == 0, Self.kinds.contains(token.text), index + 1 < tokens.endIndex, tokens[index + 1].isWord,
                !Self.isMember(tokens[index + 1].text)
            {
                index = addType(token.text, tokens[(index + 1)...], visible, within: scope)
                continue
            }
            if token.text == "{" { depth += 1 } else if token.text == "}" { depth -= 1 }
            index += 1
        }
    }

    /// Whether "class" before it means a member of the type.
    private static func isMember(_ word: String) -> Bool { ["func", "var", "let", "subscript"].contains(word) }

    /// Reads a declaration from its name on.
    ///
    /// - Returns: where it ends.
    private mutating func addType(
        _ kind: String,
        _ tokens: ArraySlice<SwiftToken>,
        _ visible: Set<String>,
        within scope: String
    ) -> Int {
        var index = tokens.startIndex
        while index < tokens.endIndex, tokens[index].text != "{" { index += 1 }
        let heading = tokens[..<index]
        let bodyStart = min(index + 1, tokens.endIndex)
        var open = 0
        while index < tokens.endIndex {
            if tokens[index].text == "{" { open += 1 } else if tokens[index].text == "}" { open -= 1 }
            index += 1
            if open == 0 { break }
        }
        let body = tokens[bodyStart..<max(bodyStart, index - 1)]
        let name = heading.prefix { $0.isWord || $0.text == "." }.map(\.name).joined()
        let whole = scope.isEmpty ? name : "\(scope).\(name)"
        guard kind != "protocol" else {
            if scope.isEmpty { protocols.insert(name) }
            return index
        }
        var type = types[whole] ?? DeclaredType()
        type.inherited.formUnion(
            heading.drop { $0.text != ":" }.dropFirst().prefix { $0.text != "where" }.filter(\.isWord).map(\.name)
        )
        if kind != "extension", let list = Self.parameters(heading) { (type.parameters, type.inherited) = list }
        if kind == "enum" { type.isEnumeration = true }
        if ["class", "actor"].contains(kind) { type.inherited.remove("Hashable") }
        Self.add(Array(body), to: &type, visible, named: name.split(separator: ".").last.map(String.init) ?? name)
        types[whole] = type
        add(body, visible, within: whole)
        return index
    }

    /// The generic parameters, and what follows the colon after them; nil for a type without any.
    private static func parameters(_ heading: ArraySlice<SwiftToken>) -> ([String], Set<String>)? {
        let rest = heading.drop { $0.isWord || $0.text == "." }
        guard rest.first?.text == "<" else { return nil }
        var depth = 0
        guard
            let end = rest.firstIndex(where: { token in
                depth += token.text == "<" ? 1 : token.text == ">" ? -1 : 0
                return depth == 0
            })
        else { return nil }
        let names = rest[(rest.startIndex + 1)..<end].split(at: ",").compactMap { $0.first?.name }
        let inherited = rest[(end + 1)...].drop { $0.text != ":" }.dropFirst().prefix { $0.text != "where" }
        return (names, Set(inherited.filter(\.isWord).map(\.name)))
    }

    private static func add(
        _ body: [SwiftToken],
        to type: inout DeclaredType,
        _ visible: Set<String>,
        named name: String
    ) {
        var depth = 0
        for (index, token) in body.enumerated() {
            if ["{", "(", "["].contains(token.text) { depth += 1 }
            if ["}", ")", "]"].contains(token.text) { depth -= 1 }
            guard depth == 0, index + 1 < body.count else { continue }
            let modifiers = body[..<index].reversed().prefix { Self.modifiers.contains($0.text) }.map(\.text)
            switch token.text {
            case "case" where type.isEnumeration:
                for part in body[(index + 1)...].prefix(while: { $0.line == token.line }).split(at: ",") {
                    guard let name = part.first, name.isWord else { continue }
                    if part.dropFirst().first?.text == "(" {
                        type.hasPayloads = true
                    } else {
                        type.cases.append(name.text)
                    }
                }
            case "var", "let":
                guard !visible.isDisjoint(with: modifiers) else { continue }
                let rest = body[(index + 1)...].prefix { $0.line == token.line }
                let typed = rest.dropFirst().first?.text == ":"
                let written = typed ? rest.dropFirst(2).prefix { $0.text != "=" && $0.text != "{" }.text : nil
                if modifiers.contains("static") {
                    let made = rest.drop { $0.text != "=" }.dropFirst().first?.name
                    if [name, "Self"].contains(written ?? made) { type.constants.append(body[index + 1].text) }
                    continue
                }
                let isSettable =
                    token.text == "var" && !modifiers.contains("private") && !modifiers.contains("fileprivate")
                type.properties[body[index + 1].name] = Property(
                    type: written,
                    isSettable: isSettable && !isComputed(body[(index + 1)...])
                )
            case "init":
                guard !visible.isDisjoint(with: modifiers), body[index + 1].text == "(" else { continue }
                if let fields = fields(body[(index + 1)...]) { type.initializers.append(fields) }
            default: break
            }
        }
    }

    private static let modifiers: Set = [
        "public", "package", "internal", "private", "fileprivate", "open", "static", "nonisolated", "(", ")", "set",
    ]

    private static func isComputed(_ tokens: ArraySlice<SwiftToken>) -> Bool {
        guard let line = tokens.first?.line else { return true }
        return tokens.prefix { $0.line == line }.contains { $0.text == "{" }
            && !tokens.prefix { $0.line == line }
                .contains { $0.text == "=" }
    }

    /// The parameters of an initialiser that can be called anywhere.
    private static func fields(_ tokens: ArraySlice<SwiftToken>) -> [Field]? {
        var depth = 0
        guard
            let end = tokens.firstIndex(where: { token in
                if token.text == "(" { depth += 1 } else if token.text == ")" { depth -= 1 }
                return depth == 0
            })
        else { return nil }
        if let next = tokens[(end + 1)...].first, ["throws", "async", "where"].contains(next.text) { return nil }
        var fields: [Field] = []
        for part in tokens[(tokens.startIndex + 1)..<end].split(at: ",") {
            guard let colon = part.firstIndex(where: { $0.text == ":" }), colon > part.startIndex else { return nil }
            let words = part[..<colon].map(\.text)
            let type = part[(colon + 1)...].prefix { $0.text != "=" }
            fields.append(
                Field(
                    label: words[0] == "_" ? nil : words[0],
                    name: words[words.count - 1],
                    type: type.text,
                    hasDefault: type.endIndex < part.endIndex
                )
            )
        }
        return fields
    }
}
