/// A Swift file's text, with the parts that the lint needs.
struct SourceFile: Sendable {
    /// The path from the root of the checkout: "Sources/Kit/Cofferdam/Streams/EventBuffer.swift".
    let path: String
    let text: String
    /// The text with comments and the contents of string literals blanked; lines stay the same.
    let code: String

    init(path: String, text: String) {
        (self.path, self.text) = (path, text)
        code = Self.blanked(text)
    }

    /// The target that the file belongs to: the last folder that `ImportTable` knows.
    var target: String? {
        path.split(separator: "/").dropLast().map(String.init).last { ImportTable.rows[$0] != nil }
    }

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

    /// Blanks comments and string literals. A scanner, not a parser: it handles nested comments, and string literals of
    /// one or several lines, raw ones too. The contents of an interpolation count as a string. Each byte becomes a
    /// space.
    private static func blanked(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        func looking(at word: String, from start: Int) -> Bool {
            bytes[min(start, bytes.count)...].starts(with: word.utf8)
        }
        func blank(_ count: Int) {
            let end = min(index + count, bytes.count)
            for byte in bytes[index..<end] { result.append(byte == newline ? newline : UInt8(ascii: " ")) }
            index = end
        }
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "/") where looking(at: "//", from: index):
                while index < bytes.count, bytes[index] != newline { blank(1) }
            case UInt8(ascii: "/") where looking(at: "/*", from: index):
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
                } while depth > 0 && index < bytes.count
            case UInt8(ascii: "\""), UInt8(ascii: "#"):
                let hashes = bytes[index...].prefix { $0 == UInt8(ascii: "#") }.count
                guard looking(at: "\"", from: index + hashes) else {
                    result.append(bytes[index])
                    index += 1
                    continue
                }
                let quote = looking(at: "\"\"\"", from: index + hashes) ? "\"\"\"" : "\""
                let end = quote + String(repeating: "#", count: hashes)
                blank(hashes + quote.utf8.count)
                while index < bytes.count, !looking(at: end, from: index) {
                    blank(hashes == 0 && bytes[index] == UInt8(ascii: "\\") ? 2 : 1)
                }
                blank(end.utf8.count)
            default:
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let newline = UInt8(ascii: "\n")
}
