#if Sandbox
import CofferdamTool

/// A Swift file's text, with the parts that the lint needs.
struct SourceFile: Sendable {
    /// The path from the root of the checkout: "Sources/Kit/Core/Cofferdam/Streams/EventBuffer.swift".
    let path: String
    let text: String
    /// The lines without comments, and with empty string literals. A literal of several lines is on its first one.
    let code: [String]
    /// Every import, in all branches of `#if`.
    let imports: [ImportDeclaration]

    /// A file that cannot be read has no code; the wall's check says so.
    init(path: String, text: String) {
        (self.path, self.text) = (path, text)
        let tokens = (try? SwiftTokens(text).tokens) ?? []
        var lines: [[SwiftToken]] = Array(repeating: [], count: tokens.map(\.line).max() ?? 0)
        for token in tokens { lines[token.line - 1].append(token) }
        code = lines.map(\.text)
        imports = ImportDeclaration.all(in: tokens)
    }
}
#endif
