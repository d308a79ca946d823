/// The names in generated source, and what keeps them apart from the names that the port's author has chosen.
enum GeneratedNames {
    /// Swift's keywords, and the words that are keywords in some places.
    static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "_", "actor", "any", "as", "associatedtype", "associativity", "async",
        "await", "borrowing",
        "break", "case", "catch", "class", "consume", "consuming", "continue", "convenience", "copy", "default",
        "defer", "deinit",
        "didSet", "discard", "distributed", "do", "dynamic", "each", "else", "enum", "extension", "fallthrough",
        "false",
        "fileprivate", "final", "for", "func", "get", "guard", "higherThan", "if", "import", "in", "indirect", "infix",
        "init",
        "inout", "internal", "is", "isolated", "lazy", "left", "let", "lowerThan", "macro", "module", "mutating", "nil",
        "none",
        "nonisolated", "nonmutating", "open", "operator", "optional", "override", "package", "postfix",
        "precedencegroup", "prefix",
        "private", "protocol", "public", "reasync", "repeat", "required", "rethrows", "return", "right", "self",
        "sending", "set",
        "some", "static", "struct", "subscript", "super", "switch", "then", "throw", "throws", "true", "try",
        "typealias", "unowned",
        "unsafe", "using", "var", "weak", "where", "while", "willSet", "yield",
    ]

    /// The types and functions of other modules that the generated files name, with their modules.
    static let imported: [String: String] = [
        "AsyncThrowingStream": "Swift", "Bool": "Swift", "Duration": "Swift", "Error": "Swift", "Int": "Swift",
        "Sendable": "Swift",
        "String": "Swift", "UInt8": "Swift", "Void": "Swift", "Double": "Swift", "UInt64": "Swift",
        "Intercepted": "Cofferdam", "NotWritten": "Cofferdam", "Paging": "Cofferdam", "PortOperation": "Cofferdam",
        "StreamingOperation": "Cofferdam",
        "AdapterIdentity": "CofferdamContracts", "AdapterUnderTest": "CofferdamContracts",
        "AdjustableClock": "CofferdamContracts", "AnyPortCall": "CofferdamContracts",
        "CancellationOperation": "CofferdamContracts", "ErrorOperation": "CofferdamContracts",
        "FaultExpectation": "CofferdamContracts", "Field": "CofferdamContracts", "FaultyCall": "CofferdamContracts",
        "GetErrors": "CofferdamContracts",
        "GetMistakes": "CofferdamContracts", "GetOperation": "CofferdamContracts", "GetSample": "CofferdamContracts",
        "HeldCalls": "CofferdamContracts", "ListOperation": "CofferdamContracts", "ListPage": "CofferdamContracts",
        "ListQuery": "CofferdamContracts", "Mutant": "CofferdamContracts", "MutationRunner": "CofferdamContracts",
        "PagingQuirk": "CofferdamContracts", "PortCall": "CofferdamContracts", "PortFailure": "CofferdamContracts",
        "ShownFields": "CofferdamContracts", "PortPlace": "CofferdamContracts", "PortStream": "CofferdamContracts",
        "ProbedCall": "CofferdamContracts",
        "Rule": "CofferdamContracts", "RuleID": "CofferdamContracts", "StreamIncident": "CofferdamContracts",
        "StreamOperation": "CofferdamContracts", "TimeOperation": "CofferdamContracts",
        "VendorFault": "CofferdamContracts",
        "Violation": "CofferdamContracts",
        "ContractCase": "CofferdamTesting", "TestProxy": "CofferdamStand",
        "ErrorClassifier": "CofferdamUpgrade", "Upgrade": "CofferdamUpgrade", "UpgradeBackend": "CofferdamUpgrade",
    ]

    /// The names that no type of the sources may have, because a module's name before the other does not help everywhere.
    static let refused: Set = ["Void", "failing"]

    /// The generic parameters, and the types inside, of the kit's types that the generated files extend.
    static let generic: Set = ["Port", "Input", "Output", "Services", "Options"]

    /// Whether a name needs no backticks anywhere.
    static func isPlain(_ name: String) -> Bool { isWord(name) && !keywords.contains(name) }

    static func isWord(_ name: String) -> Bool {
        guard let first = name.first, first.isLetter || first == "_" else { return false }
        return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }

    /// The name as a declaration writes it.
    static func identifier(_ name: String) -> String { isPlain(name) ? name : "`\(name)`" }

    /// A name of letters for one that has others, as "`every adapter`" has: "everyAdapter".
    static func word(_ name: String) -> String {
        guard !isWord(name) else { return name }
        let parts = name.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        let word = parts.enumerated().map { $0 == 0 ? String($1) : $1.prefix(1).uppercased() + $1.dropFirst() }.joined()
        return isWord(word) ? word : "_\(word)"
    }

    /// Writes the module before each of the names that are not declared there, in Swift source without multi-line strings.
    ///
    /// - Parameter modules: the modules by name: "CofferdamContracts" for "Rule".
    static func qualify(_ modules: [String: String], in source: String) -> String {
        guard !modules.isEmpty else { return source }
        return source.split(separator: "\n", omittingEmptySubsequences: false)
            .map { qualify(modules, inLine: Array($0)) }.joined(separator: "\n")
    }

    private static func qualify(_ modules: [String: String], inLine line: [Character]) -> String {
        var (text, index, last, isString) = ("", 0, "", false)
        func isPart(_ character: Character) -> Bool { character.isLetter || character.isNumber || character == "_" }
        while index < line.count {
            let character = line[index]
            if character == "\\", isString {
                text += String(line[index..<min(index + 2, line.count)])
                index += 2
            } else if character == "/", index + 1 < line.count, line[index + 1] == "/", !isString {
                return text + String(line[index...])
            } else if isPart(character) {
                let word = String(line[index...].prefix(while: isPart))
                let before: Character? = index > 0 ? line[index - 1] : nil
                let after: Character? = index + word.count < line.count ? line[index + word.count] : nil
                let next = String(line[min(index + word.count, line.count)...])
                let isLabel = after == ":" && last != "extension" || next.prefixMatch(of: /[ ][`\w]+:/) != nil
                let isMarked = before.map { ".`@".contains($0) } ?? false
                let isName = isString || isLabel || isMarked || declaring.contains(last)
                text += (isName ? nil : modules[word].map { "\($0)." }) ?? ""
                text += word
                (index, last) = (index + word.count, word)
            } else {
                if character == "\"" { isString.toggle() }
                if character != " " { last = "" }
                text.append(character)
                index += 1
            }
        }
        return text
    }

    /// The words before a name that is declared.
    private static let declaring: Set = ["let", "var", "func", "case", "struct", "enum", "class", "protocol", "import"]
}
