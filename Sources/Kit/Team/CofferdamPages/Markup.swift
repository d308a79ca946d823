import CofferdamSupport

/// HTML or XML that is safe to compose: literals are markup, and interpolated text is escaped.
///
/// ```swift
/// let cell: Markup = "<p title=\"\(author)\">\(text)</p>"
/// ```
///
/// Interpolate into elements' contents and quoted attributes only, never into scripts, styles, addresses or names.
package struct Markup: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The markup.
    package let description: String

    /// Takes a literal as markup, without escaping it.
    package init(stringLiteral markup: String) { description = markup }

    /// Creates markup from a literal. Interpolated strings are escaped, interpolated markup is not.
    package init(stringInterpolation interpolation: StringInterpolation) { description = interpolation.markup }

    /// Text, escaped.
    package init(text: String) { self = "\(text)" }

    /// Escapes what is interpolated into a literal of markup.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var markup = ""

        /// Reserves room for the literal parts.
        package init(literalCapacity: Int, interpolationCount: Int) { markup.reserveCapacity(literalCapacity) }

        /// Appends a literal part as markup, without escaping it.
        package mutating func appendLiteral(_ literal: String) { markup += literal }

        /// Text, escaped.
        package mutating func appendInterpolation(_ text: some CustomStringConvertible) {
            for scalar in text.description.unicodeScalars { append(scalar) }
        }

        /// Markup, as it is.
        package mutating func appendInterpolation(_ part: Markup) { markup += part.description }

        /// Pieces of markup, one after the other.
        package mutating func appendInterpolation(_ pieces: [Markup]) {
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

extension Sequence<Markup> {
    package func joined(separator: String = "\n") -> Markup {
        Markup(stringLiteral: map(\.description).joined(separator: separator))
    }
}
