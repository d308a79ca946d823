/// The types that a port may use: those whose values can be forwarded.
enum PortTypes {
    /// The element of `any AsyncSequence<Element, any Error> & Sendable`, or of the kit's `PortEvents<Element>`.
    static func streamed(
        _ tokens: ArraySlice<SwiftToken>,
        of name: String,
        _ line: Int
    ) throws(SourceProblem) -> String? {
        guard tokens.contains(where: { $0.text.hasPrefix("Async") || $0.text == "PortEvents" }) else { return nil }
        var tokens = tokens
        if tokens.first?.text == "(", tokens.last?.text == ")" { tokens = tokens.dropFirst().dropLast() }
        let wanted = SourceProblem(
            line,
            "'\(name)' returns \(tokens.text); a port's stream is 'any AsyncSequence<Element, any Error> & Sendable'"
        )
        let isAny = tokens.first?.text == "any"
        let parts = tokens.drop { $0.text == "any" }.split(at: "&")
        guard let sequence = parts.first(where: { $0.first?.text == "AsyncSequence" || $0.first?.text == "PortEvents" })
        else { throw wanted }
        guard sequence.dropFirst().first?.text == "<", sequence.last?.text == ">" else { throw wanted }
        let arguments = sequence.dropFirst(2).dropLast().split(at: ",")
        if sequence.first?.text == "PortEvents" {
            guard arguments.count == 1, parts.count == 1, let element = arguments.first else { throw wanted }
            return element.text
        }
        guard isAny, arguments.count == 2, ["any Error", "any Swift.Error"].contains(arguments[1].text),
            parts.contains(where: { $0.text == "Sendable" })
        else { throw wanted }
        return arguments[0].text
    }

    static func check(parameter type: ArraySlice<SwiftToken>, _ what: String, _ line: Int) throws(SourceProblem) {
        let words = type.map(\.text)
        for specifier in ["inout", "borrowing", "consuming", "sending", "isolated", "__owned", "__shared"]
        where words.contains(specifier) {
            throw SourceProblem(line, "\(what) is \(specifier); an operation takes values")
        }
        if words.contains("autoclosure") { throw SourceProblem(line, "\(what) is an @autoclosure") }
        if words.contains("=") { throw SourceProblem(line, "\(what) has a default, which a protocol cannot give") }
        if words.suffix(3) == [".", ".", "."] {
            throw SourceProblem(line, "\(what) is variadic: take an array, which can be forwarded")
        }
        if type.split(at: "->").count > 1, !words.contains("escaping") {
            throw SourceProblem(line, "\(what) is a closure that does not escape: write '@escaping @Sendable'")
        }
        try check(type, of: what, line)
        if type.isEmpty { throw SourceProblem(line, "\(what) has no type") }
    }

    static func check(_ type: ArraySlice<SwiftToken>, of what: String, _ line: Int) throws(SourceProblem) {
        let words = type.map(\.text)
        if words.contains("some") {
            throw SourceProblem(line, "\(what) is generic by 'some'; write the type, or 'any'")
        }
        if words.contains("Self") { throw SourceProblem(line, "\(what) names Self; write the type") }
        if words.contains("->"), !words.contains("Sendable") {
            throw SourceProblem(line, "\(what) is a closure that is not @Sendable")
        }
        if words.contains("{") || words.contains("\"\"") || words.contains("#") {
            throw SourceProblem(line, "\(what) has a type that cannot be read: \(type.text)")
        }
    }
}
