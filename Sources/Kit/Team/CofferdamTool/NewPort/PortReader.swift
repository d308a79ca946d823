/// Finds a protocol in source text and reads its methods.
struct PortReader {
    private let tokens: [SwiftToken]
    private var position = 0
    private var problems: [SourceProblem] = []

    private init(_ tokens: [SwiftToken]) { self.tokens = tokens }

    /// - Throws: ``UnreadablePort``, with all obstacles.
    static func read(_ name: String, in text: String) throws(UnreadablePort) -> PortDeclaration {
        do {
            var reader = PortReader(try SwiftTokens(text).tokens)
            let port = try reader.port(name)
            guard reader.problems.isEmpty else { throw UnreadablePort(problems: reader.problems) }
            return port
        } catch let problem as SourceProblem {
            throw UnreadablePort(problems: [problem])
        } catch let error as UnreadablePort {
            throw error
        } catch {
            throw UnreadablePort(problems: [SourceProblem(1, "\(error)")])
        }
    }

    // MARK: The protocol

    private mutating func port(_ name: String) throws(SourceProblem) -> PortDeclaration {
        let found = try place(of: name)
        let access = try access(before: found, name)
        position = found + 2
        if text == "<" { problem("'\(name)' has associated types; a port cannot have any") }
        let heading = take { $0 == "{" }
        guard text == "{" else { throw SourceProblem(tokens[found].line, "'\(name)' has no body") }
        check(heading: heading, of: name, line: tokens[found].line)
        position += 1
        var methods: [PortDeclaration.Method] = []
        while position < tokens.count, text != "}" {
            let start = position
            do {
                if let method = try member(of: name) { methods.append(method) }
            } catch {
                problems.append(error)
                skipMember()
            }
            if position == start { position += 1 }
        }
        guard text == "}" else { throw SourceProblem(tokens[found].line, "'\(name)' does not end") }
        if methods.isEmpty, problems.isEmpty { throw SourceProblem(tokens[found].line, "'\(name)' has no methods") }
        return PortDeclaration(name: name, access: access, methods: methods)
    }

    private func place(of name: String) throws(SourceProblem) -> Int {
        let found = tokens.indices.dropLast().filter { tokens[$0].text == "protocol" && tokens[$0 + 1].name == name }
        guard let first = found.first else {
            let others = tokens.indices.dropLast().filter { tokens[$0].text == "protocol" && tokens[$0 + 1].isWord }
                .map { "'\(tokens[$0 + 1].name)'" }
            let hint = others.isEmpty ? "there is none" : "there is \(others.joined(separator: ", "))"
            throw SourceProblem(1, "no protocol '\(name)'; \(hint)")
        }
        if found.count > 1 {
            throw SourceProblem(tokens[found[1]].line, "'\(name)' is declared a second time; which one is it?")
        }
        var depth = 0
        for token in tokens[..<first] {
            if token.text == "{" { depth += 1 } else if token.text == "}" { depth -= 1 }
        }
        guard depth == 0 else {
            throw SourceProblem(
                tokens[first].line,
                "'\(name)' is inside another declaration; a port must be at the top level"
            )
        }
        return first
    }

    private mutating func access(before index: Int, _ name: String) throws(SourceProblem) -> String {
        var index = index
        var access = "internal"
        let line = tokens[index].line
        while index > 0 {
            let before = tokens[index - 1]
            if ["public", "package", "internal", "private", "fileprivate"].contains(before.text) {
                access = before.text
                index -= 1
            } else if before.text == "nonisolated" {
                index -= 1
            } else if index > 1, before.isWord, tokens[index - 2].text == "@" {
                if before.name.hasSuffix("Actor") {
                    problem("'\(name)' is isolated to @\(before.name); a port's methods run anywhere", at: line)
                }
                index -= 2
            } else if before.text == ")", let start = attribute(endingAt: index - 1) {
                index = start
            } else {
                break
            }
        }
        guard access == "public" || access == "package" else {
            throw SourceProblem(
                line,
                "'\(name)' is \(access), but its adapters are separate targets, which cannot see it: "
                    + "make it public or package"
            )
        }
        return access
    }

    /// Where `@available(…)` begins.
    private func attribute(endingAt end: Int) -> Int? {
        var (index, depth) = (end, 0)
        while index >= 2 {
            if tokens[index].text == ")" { depth += 1 } else if tokens[index].text == "(" { depth -= 1 }
            if depth == 0 { return tokens[index - 2].text == "@" ? index - 2 : nil }
            index -= 1
        }
        return nil
    }

    private mutating func check(heading: ArraySlice<SwiftToken>, of name: String, line: Int) {
        if heading.contains(where: { $0.text == "where" }) { problem("'\(name)' has a where clause", at: line) }
        let inherited = heading.drop { $0.text != ":" }.dropFirst().prefix { $0.text != "where" }
            .split { $0.text == "," || $0.text == "&" }.map(\.text)
        let plain: Set = ["Sendable", "SendableMetatype", "Swift.Sendable"]
        if inherited.contains("AnyObject") {
            problem(
                "'\(name)' is for classes only, but the kit forwards its calls through a struct: remove AnyObject",
                at: line
            )
        }
        for other in inherited where !plain.contains(other) && other != "AnyObject" {
            problem(
                "'\(name)' inherits from '\(other)', whose requirements are not read: declare them in '\(name)'",
                at: line
            )
        }
        if !inherited.contains(where: { $0.hasSuffix("Sendable") }) {
            problem("'\(name)' is not Sendable: write 'protocol \(name): Sendable'", at: line)
        }
    }

    // MARK: A member

    private mutating func member(of port: String) throws(SourceProblem) -> PortDeclaration.Method? {
        var modifiers: [String] = []
        while position < tokens.count {
            switch text {
            case ";": position += 1
            case "@":
                position += 1
                let name = tokens.indices.contains(position) ? tokens[position].name : ""
                if name.hasSuffix("Actor") {
                    throw SourceProblem(line, "a method is isolated to @\(name); a port's methods run anywhere")
                }
                position += 1
                if text == "(" { skipBrackets() }
            case "#":
                throw SourceProblem(line, "#\(word(after: 1)) inside a protocol is not supported")
            case "func":
                if let modifier = modifiers.first { throw SourceProblem(line, "a method is \(modifier)") }
                return try method()
            case "var", "let":
                throw SourceProblem(
                    line,
                    "'\(word(after: 1))' is a property; a port has only 'async throws' methods and streams"
                )
            case "init", "subscript", "associatedtype", "typealias", "operator", "macro":
                throw SourceProblem(line, "\(text) is not supported; a port has only methods and streams")
            case "static", "class", "mutating", "prefix", "postfix", "infix", "isolated":
                modifiers.append(text)
                position += 1
            case "nonisolated":
                position += 1
                if text == "(" { skipBrackets() }
            case "nonmutating", "override", "public", "package", "internal": position += 1
            case "}": return nil
            default: throw SourceProblem(line, "'\(text)' is not understood")
            }
        }
        return nil
    }

    private mutating func method() throws(SourceProblem) -> PortDeclaration.Method {
        let start = line
        position += 1
        guard position < tokens.count, tokens[position].isWord, !Self.beginsMember.contains(text) else {
            throw SourceProblem(start, "a method has no name")
        }
        let name = text
        position += 1
        if text == "<" { throw SourceProblem(start, "'\(name)' is generic; an operation has one input and one answer") }
        guard text == "(" else { throw SourceProblem(start, "'\(name)' has no parameter list") }
        let parameters = try parameters(of: name)
        var (isAsync, throwing) = (false, false)
        loop: while position < tokens.count {
            switch text {
            case "async": isAsync = true
            case "throws":
                throwing = true
                if word(after: 1) == "(" {
                    position += 1
                    let error = bracketed().text
                    if error != "any Error", error != "any Swift.Error" {
                        throw SourceProblem(
                            start,
                            "'\(name)' throws only \(error), but an interceptor of its calls may throw other errors: "
                                + "write 'throws'"
                        )
                    }
                    continue loop
                }
            case "rethrows", "reasync": throw SourceProblem(start, "'\(name)' is \(text)")
            default: break loop
            }
            position += 1
        }
        var result: ArraySlice<SwiftToken> = []
        if text == "->" {
            position += 1
            result = takeType()
            if result.isEmpty { throw SourceProblem(start, "the result type of '\(name)' cannot be read") }
        }
        if text == "where" { throw SourceProblem(start, "'\(name)' has a where clause") }
        if text == "{" || text == "=" {
            throw SourceProblem(line, "'\(name)' has a body, which a protocol's method cannot have")
        }
        return PortDeclaration.Method(
            name: name,
            parameters: parameters,
            result: try self.result(result, of: name, start, isAsync: isAsync, isThrowing: throwing),
            line: start
        )
    }

    private func result(
        _ tokens: ArraySlice<SwiftToken>,
        of name: String,
        _ line: Int,
        isAsync: Bool,
        isThrowing: Bool
    ) throws(SourceProblem) -> PortDeclaration.Result {
        if let stream = try PortTypes.streamed(tokens, of: name, line) {
            guard !isAsync, !isThrowing else {
                throw SourceProblem(
                    line,
                    "'\(name)' is a stream, whose errors come from the sequence: remove 'async' and 'throws'"
                )
            }
            return .stream(element: stream, type: tokens.text)
        }
        guard isAsync, isThrowing else {
            throw SourceProblem(
                line,
                "'\(name)' is not 'async throws', but an interceptor of its calls may wait and throw"
            )
        }
        try PortTypes.check(tokens, of: "'\(name)'", line)
        let text = tokens.text
        return ["", "Void", "()", "Swift.Void"].contains(text) ? .nothing : .value(text)
    }

    // MARK: Parameters

    private mutating func parameters(of method: String) throws(SourceProblem) -> [PortDeclaration.Parameter] {
        let start = line
        let inside = bracketed()
        var parameters: [PortDeclaration.Parameter] = []
        for (index, part) in inside.split(at: ",").enumerated() {
            let line = part.first?.line ?? start
            guard let colon = part.firstIndex(where: { $0.text == ":" }) else {
                throw SourceProblem(line, "a parameter of '\(method)' has no type")
            }
            let words = part[..<colon].map(\.text)
            guard let first = part.first, (1...2).contains(words.count), words.allSatisfy({ !$0.isEmpty }), first.isWord
            else { throw SourceProblem(line, "a parameter of '\(method)' is not understood: \(part.text)") }
            let declared = part[(colon + 1)...]
            let name = words.last == "_" ? "value\(index + 1)" : words.last ?? ""
            try PortTypes.check(parameter: declared, "'\(name)' of '\(method)'", line)
            parameters.append(
                PortDeclaration.Parameter(
                    label: words.first == "_" ? nil : Self.label(words.first ?? ""),
                    name: name,
                    declaredType: declared.text,
                    type: declared.text.replacing("@escaping ", with: "")
                )
            )
        }
        let names = parameters.map(\.name)
        guard Set(names).count == names.count else { throw SourceProblem(start, "'\(method)' names a parameter twice") }
        return parameters
    }

    /// Most keywords can be labels without backticks.
    private static func label(_ word: String) -> String {
        let name = word.filter { $0 != "`" }
        return ["inout", "var", "let"].contains(name) || !GeneratedNames.isWord(name) ? word : name
    }

    // MARK: Tokens

    private var text: String { position < tokens.count ? tokens[position].text : "" }
    private var line: Int { position < tokens.count ? tokens[position].line : (tokens.last?.line ?? 1) }

    private func word(after count: Int) -> String {
        position + count < tokens.count ? tokens[position + count].name : ""
    }

    private mutating func problem(_ text: String, at line: Int? = nil) {
        problems.append(SourceProblem(line ?? self.line, text))
    }

    private mutating func take(until isEnd: (String) -> Bool) -> ArraySlice<SwiftToken> {
        let start = position
        while position < tokens.count, !isEnd(tokens[position].text) { position += 1 }
        return tokens[start..<position]
    }

    /// Returns the tokens inside the brackets that begin here, and moves past the brackets.
    private mutating func bracketed() -> ArraySlice<SwiftToken> {
        let start = min(position + 1, tokens.count)
        skipBrackets()
        return tokens[start..<max(start, position - 1)]
    }

    private mutating func skipBrackets() {
        var depth = 0
        while position < tokens.count {
            if ["(", "[", "{"].contains(text) { depth += 1 }
            if [")", "]", "}"].contains(text) { depth -= 1 }
            position += 1
            if depth <= 0 { return }
        }
    }

    /// A type ends where the next member begins.
    private mutating func takeType() -> ArraySlice<SwiftToken> {
        let start = position
        while position < tokens.count, !endsMember {
            if text == "where" || text == "{" || text == "=" { break }
            if text == "(" || text == "[" { skipBrackets() } else { position += 1 }
        }
        return tokens[start..<position]
    }

    private var endsMember: Bool {
        if text == "}" || text == ";" { return true }
        guard position > 0, tokens[position].line > tokens[position - 1].line else { return false }
        return Self.beginsMember.contains(text)
    }

    private mutating func skipMember() {
        if position < tokens.count, text != "}" {
            let start = position
            repeat {
                if ["(", "[", "{"].contains(text) { skipBrackets() } else { position += 1 }
            } while position < tokens.count && !endsMember
            if position == start { position += 1 }
        }
    }

    private static let beginsMember: Set = [
        "func", "var", "let", "subscript", "init", "associatedtype", "typealias", "static", "class", "mutating",
        "nonmutating", "nonisolated", "isolated", "public", "package", "internal", "prefix", "postfix", "infix",
        "override", "@", "#",
    ]
}

/// Why no port can be made from a protocol.
struct UnreadablePort: Error, Hashable {
    var problems: [SourceProblem]
}
