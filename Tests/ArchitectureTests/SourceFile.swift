/// A Swift file as text, with what the lint wants to know of it.
struct SourceFile: Sendable {
    /// From the root of the checkout: "Sources/Kit/Cofferdam/Streams/EventBuffer.swift".
    var path: String
    var text: String

    /// The target that the file belongs to: the last folder that `ImportTable` knows.
    var target: String? {
        path.split(separator: "/").dropLast().map(String.init).last { ImportTable.rows[$0] != nil }
    }

    /// The text with comments and the insides of string literals blanked, line by line as before.
    var code: String { SourceFile.blanked(text) }

    /// Every import, in all branches of `#if`.
    var imports: [Import] {
        code.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { index, line in
            line.split(separator: ";").compactMap { Import($0, line: index + 1) }
        }
    }

    struct Import: Sendable, Equatable {
        var module: String
        /// `public`, `@testable`, `@_exported` …
        var modifiers: [String]
        var line: Int

        init?(_ statement: Substring, line: Int) {
            var words = statement.split { $0 == " " || $0 == "\t" }.map(String.init)
            guard let at = words.firstIndex(of: "import"), at + 1 < words.count else { return nil }
            modifiers = Array(words[..<at])
            guard modifiers.allSatisfy({ $0.hasPrefix("@") || Self.levels.contains($0) }) else { return nil }
            words.removeSubrange(...at)
            if Self.kinds.contains(words[0]), words.count > 1 { words.removeFirst() }
            module = String(words[0].prefix { $0 != "." })
            self.line = line
        }

        private static let levels: Set = ["public", "package", "internal", "fileprivate", "private"]
        private static let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "var", "let"]
    }

    /// A scanner, not a parser: it knows comments (nested too), string literals of one line and of many, raw ones too.
    /// What stands inside an interpolation counts as string.
    static func blanked(_ text: String) -> String {
        var result: [Character] = []
        let characters = Array(text)
        var index = 0
        func looking(at word: String, from start: Int) -> Bool {
            let word = Array(word)
            return start + word.count <= characters.count && Array(characters[start..<start + word.count]) == word
        }
        func blank(_ count: Int) {
            for offset in 0..<count where index + offset < characters.count {
                result.append(characters[index + offset].isNewline ? "\n" : " ")
            }
            index += count
        }
        while index < characters.count {
            if looking(at: "//", from: index) {
                while index < characters.count, !characters[index].isNewline { blank(1) }
            } else if looking(at: "/*", from: index) {
                var depth = 0
                repeat {
                    if looking(at: "/*", from: index) {
                        depth += 1
                        blank(2)
                    } else if looking(at: "*/", from: index) {
                        depth -= 1
                        blank(2)
                    } else {
                        blank(1)
                    }
                } while depth > 0 && index < characters.count
            } else if characters[index] == "\"" || characters[index] == "#" {
                var hashes = 0
                while index + hashes < characters.count, characters[index + hashes] == "#" { hashes += 1 }
                guard looking(at: "\"", from: index + hashes) else {
                    result.append(characters[index])
                    index += 1
                    continue
                }
                let quote = looking(at: "\"\"\"", from: index + hashes) ? "\"\"\"" : "\""
                let end = quote + String(repeating: "#", count: hashes)
                blank(hashes + quote.count)
                while index < characters.count, !looking(at: end, from: index) {
                    blank(hashes == 0 && characters[index] == "\\" ? 2 : 1)
                }
                blank(end.count)
            } else {
                result.append(characters[index])
                index += 1
            }
        }
        return String(result)
    }
}
