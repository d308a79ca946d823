/// An import, as a source file declares it.
package struct ImportDeclaration: Hashable, Sendable {
    /// The module's name, without a submodule or a declaration of it.
    package var module: String
    /// The access level and the attributes, without their arguments: `public`, `@testable`, `@_exported`.
    package var modifiers: [String]
    /// The line of the word `import`, from 1.
    package var line: Int

    /// Returns every import, in all branches of `#if`.
    package static func all(in tokens: [SwiftToken]) -> [ImportDeclaration] {
        tokens.indices.compactMap { tokens[$0].text == "import" ? ImportDeclaration(at: $0, in: tokens) : nil }
    }

    private init?(at index: Int, in tokens: [SwiftToken]) {
        var start = index
        modifiers = []
        while let modifier = Self.modifier(before: start, in: tokens) {
            modifiers.insert(modifier.text, at: 0)
            start = modifier.start
        }
        // Elsewhere, `import` is a name: an argument's label, or a member.
        guard start == 0 || tokens[start - 1].text == ";" || tokens[start - 1].line < tokens[start].line else {
            return nil
        }
        var name = index + 1
        if name + 1 < tokens.count, Self.kinds.contains(tokens[name].text), tokens[name + 1].isWord { name += 1 }
        guard name < tokens.count, tokens[name].isWord else { return nil }
        module = tokens[name].name
        line = tokens[index].line
    }

    /// Returns the access level or the attribute that ends before a token, and where it starts.
    private static func modifier(before end: Int, in tokens: [SwiftToken]) -> (text: String, start: Int)? {
        guard end > 0 else { return nil }
        if levels.contains(tokens[end - 1].text) { return (tokens[end - 1].text, end - 1) }
        var name = end - 1
        if tokens[name].text == ")" {
            var depth = 0
            repeat {
                depth += tokens[name].text == ")" ? 1 : tokens[name].text == "(" ? -1 : 0
                name -= 1
            } while depth > 0 && name >= 0
        }
        guard name > 0, tokens[name].isWord, tokens[name - 1].text == "@" else { return nil }
        return ("@" + tokens[name].name, name - 1)
    }

    private static let levels: Set = ["public", "package", "internal", "fileprivate", "private"]
    private static let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "var", "let"]
}
