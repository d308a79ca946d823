/// Source text as words, literals and punctuation, each with its line. It covers as much of Swift's lexical structure
/// as is needed to find declarations and to skip comments, literals and code-like text in them.
package struct SwiftTokens {
    package private(set) var tokens: [SwiftToken] = []
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    /// The number of open string interpolations.
    private var nesting = 0

    /// - Throws: ``SourceProblem`` for an unterminated comment or literal.
    package init(_ text: String) throws(SourceProblem) {
        bytes = Self.withPlainLines(Array(text.utf8))
        try read(untilParenthesis: false)
    }

    /// Like the compiler, skips a byte order mark and treats each carriage return as the end of a line.
    private static func withPlainLines(_ text: [UInt8]) -> [UInt8] {
        let (newline, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var bytes = text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
        guard bytes.contains(carriageReturn) else { return bytes }
        for index in bytes.indices where bytes[index] == carriageReturn {
            let isPair = index + 1 < bytes.count && bytes[index + 1] == newline
            bytes[index] = isPair ? UInt8(ascii: " ") : newline
        }
        return bytes
    }

    private mutating func read(untilParenthesis: Bool) throws(SourceProblem) {
        var depth = 0
        while position < bytes.count {
            let start = position
            let isSpaced = start == 0 || Self.isSpace(bytes[start - 1]) || bytes[start - 1] == UInt8(ascii: "/")
            switch bytes[position] {
            case UInt8(ascii: "\n"):
                line += 1
                position += 1
            case let byte where Self.isSpace(byte): position += 1
            case UInt8(ascii: "/") where byte(after: 1) == UInt8(ascii: "/"): skipLine()
            case UInt8(ascii: "/") where byte(after: 1) == UInt8(ascii: "*"): try skipComment()
            case UInt8(ascii: "/") where startsRegex: skipRegex()
            case UInt8(ascii: "\""): try skipString(hashes: 0)
            case UInt8(ascii: "#"): try readHash(isSpaced)
            case UInt8(ascii: "`"): readQuotedWord(isSpaced)
            case let byte where Self.isWord(byte):
                while position < bytes.count, Self.isWord(bytes[position]) { position += 1 }
                add(start, isSpaced)
            case UInt8(ascii: "-") where byte(after: 1) == UInt8(ascii: ">"):
                position += 2
                add(start, isSpaced)
            default:
                position += 1
                add(start, isSpaced)
                guard untilParenthesis else { break }
                if bytes[start] == UInt8(ascii: "(") { depth += 1 }
                if bytes[start] == UInt8(ascii: ")") {
                    if depth == 0 { return }
                    depth -= 1
                }
            }
        }
        if untilParenthesis { throw SourceProblem(line, "a string's interpolation does not end") }
    }

    private func byte(after count: Int) -> UInt8? {
        position + count < bytes.count ? bytes[position + count] : nil
    }

    private mutating func add(_ start: Int, _ isSpaced: Bool) {
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        tokens.append(SwiftToken(text: text, line: line, isSpaced: isSpaced))
    }

    private mutating func skipLine() {
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
    }

    private mutating func skipComment() throws(SourceProblem) {
        let start = line
        var depth = 0
        repeat {
            switch (bytes[position], byte(after: 1)) {
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                depth += 1
                position += 2
            case (UInt8(ascii: "*"), UInt8(ascii: "/")):
                depth -= 1
                position += 2
            case (let byte, _):
                if byte == UInt8(ascii: "\n") { line += 1 }
                position += 1
            }
        } while depth > 0 && position < bytes.count
        if depth > 0 { throw SourceProblem(start, "a comment does not end") }
    }

    /// `#if`, `#"a raw string"#`, `#/a regex/#`.
    private mutating func readHash(_ isSpaced: Bool) throws(SourceProblem) {
        let start = position
        while position < bytes.count, bytes[position] == UInt8(ascii: "#") { position += 1 }
        let hashes = position - start
        switch position < bytes.count ? bytes[position] : 0 {
        case UInt8(ascii: "\""): try skipString(hashes: hashes)
        case UInt8(ascii: "/"):
            let first = line
            position += 1
            while position < bytes.count {
                if bytes[position] == UInt8(ascii: "/"), hasHashes(hashes, after: 1) {
                    position += 1 + hashes
                    tokens.append(SwiftToken(text: "/", line: first, isSpaced: isSpaced))
                    return
                }
                if bytes[position] == UInt8(ascii: "\n") { line += 1 }
                position += 1
            }
            throw SourceProblem(first, "a regular expression does not end")
        default:
            position = start + 1
            add(start, isSpaced)
        }
    }

    private func hasHashes(_ count: Int, after offset: Int) -> Bool {
        let start = position + offset
        return start + count <= bytes.count && bytes[start..<start + count].allSatisfy { $0 == UInt8(ascii: "#") }
    }

    private mutating func skipString(hashes: Int) throws(SourceProblem) {
        let start = line
        let quote = UInt8(ascii: "\"")
        let isLong = byte(after: 1) == quote && byte(after: 2) == quote
        let length = isLong ? 3 : 1
        position += length
        let first = position
        var isPlain = !isLong
        while position < bytes.count {
            switch bytes[position] {
            case quote
            where (!isLong || (byte(after: 1) == quote && byte(after: 2) == quote)) && hasHashes(hashes, after: length):
                let literal = isPlain ? String(decoding: bytes[first..<position], as: UTF8.self) : nil
                position += length + hashes
                tokens.append(SwiftToken(text: "\"\"", line: start, isSpaced: true, literal: literal))
                return
            case UInt8(ascii: "\\") where hasHashes(hashes, after: 1):
                isPlain = false
                position += 1 + hashes
                guard position < bytes.count else { break }
                if bytes[position] == UInt8(ascii: "(") {
                    try skipInterpolation()
                } else {
                    if bytes[position] == UInt8(ascii: "\n") { line += 1 }
                    position += 1
                }
            case UInt8(ascii: "\n"):
                guard isLong else { throw SourceProblem(start, "a string does not end") }
                line += 1
                position += 1
            default: position += 1
            }
        }
        throw SourceProblem(start, "a string does not end")
    }

    private mutating func skipInterpolation() throws(SourceProblem) {
        guard nesting < 32 else { throw SourceProblem(line, "strings are nested too deeply") }
        let count = tokens.count
        nesting += 1
        position += 1
        try read(untilParenthesis: true)
        nesting -= 1
        tokens.removeLast(tokens.count - count)
    }

    /// Whether a slash begins a regex literal: an operator would have nothing on its left, and another slash follows on
    /// the line.
    private var startsRegex: Bool {
        let openers: Set = [
            "(", ",", "=", "[", "{", ":", ";", "!", "&", "|", "?", "return", "in", "case", "where", "try",
        ]
        guard tokens.last.map({ openers.contains($0.text) }) ?? false else { return false }
        guard let next = byte(after: 1), !Self.isSpace(next) else { return false }
        return closingSlash != nil
    }

    private var closingSlash: Int? {
        var index = position + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
            if bytes[index] == UInt8(ascii: "/") { return index }
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    private mutating func skipRegex() {
        guard let end = closingSlash else { return }
        position = end + 1
        tokens.append(SwiftToken(text: "/", line: line, isSpaced: true))
    }

    private mutating func readQuotedWord(_ isSpaced: Bool) {
        let start = position
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "`"), bytes[position] != UInt8(ascii: "\n") {
            position += 1
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: "`") { position += 1 }
        add(start, isSpaced)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(byte) || byte == 0
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}

/// A word, a literal or a mark of punctuation.
package struct SwiftToken: Hashable, Sendable {
    package var text: String
    /// The line, from 1.
    package var line: Int
    /// Whether a space or a comment precedes it.
    package var isSpaced: Bool
    /// The content of a single-line string without escapes or interpolations.
    var literal: String?

    var isWord: Bool {
        guard let first = text.unicodeScalars.first else { return false }
        return first == "_" || first == "`" || first == "$" || first.properties.isAlphabetic || first.value >= 0x80
    }

    /// The word without backticks.
    var name: String { text.filter { $0 != "`" } }
}

extension Collection<SwiftToken> {
    /// The source text, with one space wherever there was white space.
    package var text: String {
        var text = ""
        for token in self { text += (token.isSpaced && !text.isEmpty ? " " : "") + token.text }
        return text
    }

    /// Returns the parts between separators that are not inside brackets.
    func split(at separator: String) -> [SubSequence] {
        var parts: [SubSequence] = []
        var (start, depth) = (startIndex, 0)
        for index in indices {
            switch self[index].text {
            case "(", "[", "{", "<": depth += 1
            case ")", "]", "}", ">": depth -= 1
            case separator where depth == 0:
                parts.append(self[start..<index])
                start = self.index(after: index)
            default: break
            }
        }
        if start < endIndex || !parts.isEmpty { parts.append(self[start..<endIndex]) }
        return parts
    }
}

/// A problem in source text, with its line.
package struct SourceProblem: Error, Hashable, Sendable {
    package var line: Int
    package var text: String

    init(_ line: Int, _ text: String) {
        self.line = line
        self.text = text
    }
}
