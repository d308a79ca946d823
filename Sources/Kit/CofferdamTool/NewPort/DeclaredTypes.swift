/// The types that a target declares, as far as their source shows: whether they are hashable, and how another target
/// can create them.
struct DeclaredTypes {
    private var types: [String: DeclaredType] = [:]
    /// The files that could not be read, and why: "Sources/App/Odd.swift:3: a comment does not end".
    private(set) var unread: [String] = []

    struct DeclaredType: Hashable {
        var inherited: Set<String> = []
        /// The initialisers that other targets see.
        var initializers: [[Field]] = []
        /// The stored and computed properties, and whether another target may set them.
        var properties: [String: Bool] = [:]
        /// The cases of an enumeration that have no payload.
        var cases: [String] = []
        var hasPayloads = false
        var isEnumeration = false
    }

    struct Field: Hashable {
        /// Nil for `_`.
        var label: String?
        var name: String
        var type: String
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
                add(try SwiftTokens(source.text).tokens, visible)
            } catch {
                unread.append("\(source.file):\(error.line): \(error.text)")
            }
        }
    }

    subscript(_ name: String) -> DeclaredType? { types[name] }

    /// Whether a type is known to be `Hashable`.
    func isHashable(_ type: String, depth: Int = 0) -> Bool {
        if Self.hashable.contains(type) { return true }
        guard depth < Self.maxDepth else { return false }
        if let inner = Self.wrapped(type) ?? Self.element(type) { return isHashable(inner, depth: depth + 1) }
        guard let declared = types[type] else { return false }
        return declared.inherited.contains("Hashable") || (declared.isEnumeration && !declared.hasPayloads)
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
        if let plain = plainValue(type, sample) { return plain }
        guard depth < Self.maxDepth else { return nil }
        if let wrapped = Self.wrapped(type) {
            return sample == .zero ? "nil" : value(wrapped, sample, depth: depth + 1)
        }
        if let element = Self.element(type) {
            return sample == .zero ? "[]" : value(element, sample, depth: depth + 1).map { "[\($0)]" }
        }
        guard let declared = types[type] else { return nil }
        if declared.isEnumeration {
            return (sample == .zero ? declared.cases.first : declared.cases.last).map { "\(type).\($0)" }
        }
        for initializer in declared.initializers {
            var arguments: [String] = []
            for field in initializer {
                let isFixed = fixed.map { $0.type == field.type && [$0.name, "id"].contains(field.name) } ?? false
                let text = isFixed ? fixed?.value : value(field.type, sample, depth: depth + 1)
                if let text { arguments.append((field.label.map { "\($0): " } ?? "") + text) }
            }
            if arguments.count == initializer.count { return "\(type)(\(arguments.joined(separator: ", ")))" }
        }
        return nil
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
        default: nil
        }
    }

    /// The maximum depth to which types are examined.
    private static let maxDepth = 6

    private static let numbers: Set = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float",
    ]
    private static let hashable = numbers.union(["String", "Bool", "Duration", "Character"])

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

    private mutating func add(_ tokens: [SwiftToken], _ visible: Set<String>) {
        var index = 0
        var depth = 0
        while index < tokens.count {
            let token = tokens[index]
            if depth == 0, ["struct", "enum", "class", "actor", "extension"].contains(token.text),
                index + 1 < tokens.count, tokens[index + 1].isWord
            {
                let name = tokens[index + 1].name
                index += 2
                let start = index
                while index < tokens.count, tokens[index].text != "{" { index += 1 }
                let heading = tokens[start..<index]
                let bodyStart = min(index + 1, tokens.count)
                var open = 0
                while index < tokens.count {
                    if tokens[index].text == "{" { open += 1 } else if tokens[index].text == "}" { open -= 1 }
                    index += 1
                    if open == 0 { break }
                }
                // A generic or nested type is not known by this name.
                guard heading.first?.text != "<", heading.first?.text != "." else { continue }
                let body = tokens[bodyStart..<max(bodyStart, index - 1)]
                var type = types[name] ?? DeclaredType()
                type.inherited.formUnion(
                    heading.drop { $0.text != ":" }.dropFirst().filter(\.isWord).map(\.name)
                )
                if token.text == "enum" { type.isEnumeration = true }
                if ["class", "actor"].contains(token.text) { type.inherited.remove("Hashable") }
                Self.add(Array(body), to: &type, visible)
                types[name] = type
                continue
            }
            if token.text == "{" { depth += 1 } else if token.text == "}" { depth -= 1 }
            index += 1
        }
    }

    private static func add(_ body: [SwiftToken], to type: inout DeclaredType, _ visible: Set<String>) {
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
                guard !visible.isDisjoint(with: modifiers), !modifiers.contains("static") else { continue }
                let isSettable =
                    token.text == "var" && !modifiers.contains("private") && !modifiers.contains("fileprivate")
                type.properties[body[index + 1].name] = isSettable && !isComputed(body[(index + 1)...])
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

    /// The parameters of an initialiser that can be called anywhere, without those that have a default.
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
            let type = part[(colon + 1)...]
            if type.contains(where: { $0.text == "=" }) { continue }
            fields.append(Field(label: words[0] == "_" ? nil : words[0], name: words[words.count - 1], type: type.text))
        }
        return fields
    }
}
