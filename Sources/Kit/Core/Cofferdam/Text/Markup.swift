/// HTML or XML that is safe to compose: literals are markup, and interpolated text is escaped.
///
/// ```swift
/// let cell: Markup = "<p title=\"\(author)\">\(text)</p>"
/// ```
///
/// Interpolate into elements' contents and quoted attributes only, never into scripts, styles, addresses or names.
public struct Markup: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The markup.
    public let description: String

    /// Takes a literal as markup, without escaping it.
    public init(stringLiteral markup: String) { description = markup }

    /// Creates markup from a literal. Interpolated strings are escaped, interpolated markup is not.
    public init(stringInterpolation interpolation: StringInterpolation) { description = interpolation.markup }

    /// Text, escaped.
    package init(text: String) { self = "\(text)" }

    /// Escapes what is interpolated into a literal of markup.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var markup = ""

        /// Reserves room for the literal parts.
        public init(literalCapacity: Int, interpolationCount: Int) { markup.reserveCapacity(literalCapacity) }

        /// Appends a literal part as markup, without escaping it.
        public mutating func appendLiteral(_ literal: String) { markup += literal }

        /// Text, escaped.
        public mutating func appendInterpolation(_ text: some CustomStringConvertible) {
            for scalar in text.description.unicodeScalars { append(scalar) }
        }

        /// Markup, as it is.
        public mutating func appendInterpolation(_ part: Markup) { markup += part.description }

        /// Pieces of markup, one after the other.
        public mutating func appendInterpolation(_ pieces: [Markup]) {
            for piece in pieces { markup += piece.description }
        }

        private mutating func append(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "&": markup += "&amp;"
            case "<": markup += "&lt;"
            case ">": markup += "&gt;"
            case "\"": markup += "&quot;"
            case "'": markup += "&#39;"
            // Unescaped, they are read as spaces by an XML parser in an attribute.
            case "\t", "\n", "\r": markup += "&#\(scalar.value);"
            case _ where scalar.isForbidden: markup.unicodeScalars.append("\u{FFFD}")
            case _ where scalar.isFormat: markup += scalar.code
            default: markup.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether a page must show its code, because it is invisible itself, and may hide or reorder what stands beside it.
    package var isInvisible: Bool { isForbidden || isFormat }

    /// "U+202E".
    package var code: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Emoji and several scripts need joiners.
    fileprivate var isFormat: Bool {
        guard value >= 0xAD, value != 0x200C, value != 0x200D else { return false }
        return switch properties.generalCategory {
        case .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Whether neither HTML nor XML may contain it: C0, DEL, C1 and the two noncharacters that XML names.
    fileprivate var isForbidden: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || value == 0xFFFE || value == 0xFFFF
    }
}

extension Sequence<Markup> {
    package func joined(separator: String = "\n") -> Markup {
        Markup(stringLiteral: map(\.description).joined(separator: separator))
    }
}
