/// Where a manifest declares its targets and their dependencies, as far as its text shows it. Computed names are not
/// found.
struct ManifestLines: Sendable {
    private var tokens: [SwiftToken] = []
    private var targets: [String: Range<Int>] = [:]

    init(_ text: String) {
        // A manifest that cannot be tokenized has no lines to show, although SwiftPM has understood it.
        guard let tokens = try? SwiftTokens(text).tokens else { return }
        self.tokens = tokens
        var depths: [String: Int] = [:]
        var open: [Int] = []
        for (index, token) in tokens.enumerated() {
            switch token.text {
            case "(", "[", "{": open.append(index)
            case ")", "]", "}":
                guard let start = open.popLast(), let name = declared(at: start) else { continue }
                // Targets that depend on this one name it too, more deeply nested.
                if let depth = depths[name], depth <= open.count { continue }
                depths[name] = open.count
                targets[name] = start..<index
            default: break
            }
        }
    }

    /// Returns the name in `target(name: "App"` or `kit("App"`.
    private func declared(at open: Int) -> String? {
        guard tokens[open].text == "(", open > 0, tokens[open - 1].isWord, open + 1 < tokens.count else { return nil }
        guard !Self.others.contains(tokens[open - 1].text) else { return nil }
        if let name = tokens[open + 1].literal { return name }
        guard open + 3 < tokens.count, tokens[open + 1].text == "name", tokens[open + 2].text == ":" else { return nil }
        return tokens[open + 3].literal
    }

    private static let others: Set = [
        "Package", "package", "product", "library", "executable", "trait", "byName",
    ]

    /// Returns the line of a target's declaration.
    func line(of target: String) -> Int? { targets[target].map { tokens[$0.lowerBound].line } }

    /// Returns the line in which a target's declaration names a dependency, or else that of the declaration.
    func line(of target: String, dependingOn name: String) -> Int? {
        guard let range = targets[target] else { return nil }
        let named = range.first { tokens[$0].literal == name }
        return named.map { tokens[$0].line } ?? line(of: target)
    }
}
