extension String {
    /// The text with everything escaped that could control a terminal or deceive its reader: control characters
    /// ("\u{1b}"), line ends ("\n"), marks that change the writing direction. For text from a vendor.
    package var escapedForTerminal: String {
        guard unicodeScalars.contains(where: \.mustBeEscaped) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.mustBeEscaped: text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// How many columns a terminal needs for the text: two for wide East Asian characters and emoji, none for
    /// combining marks. An approximation where terminals disagree. The text must hold no control characters.
    package var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }
}

extension Character {
    /// A cluster is as wide as its widest scalar; one with a variation selector for emoji is wide.
    fileprivate var displayWidth: Int {
        var width = 0
        for scalar in unicodeScalars {
            if scalar.value == 0xFE0F { return 2 }
            width = max(width, scalar.displayWidth)
        }
        return width
    }
}

extension Unicode.Scalar {
    fileprivate var mustBeEscaped: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F: true
        // Line and paragraph separators, and the marks that reorder what is shown.
        case 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: true
        default: false
        }
    }

    fileprivate var displayWidth: Int {
        if value < 0x300 { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if properties.isEmojiPresentation { return 2 }
        return Self.wide.contains { $0.contains(value) } ? 2 : 1
    }

    /// The blocks of Unicode's EastAsianWidth.txt that are wide or fullwidth throughout.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18CFF,
        0x1B000...0x1B2FF, 0x20000...0x3FFFD,
    ]
}
