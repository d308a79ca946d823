/// Text that may stand between the tags of XML and HTML, and in an attribute's quotes.
///
/// Nothing that the kit may import does this: Foundation's XMLDocument is missing on phones, drags libxml2 in on Linux,
/// and writes no HTML. It is one function, and the reports have no other way to markup.
struct Markup: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    var description: String

    init(stringLiteral value: String) { description = value }

    /// Untrusted text.
    init(escaping text: some StringProtocol) {
        description = text.unicodeScalars.reduce(into: "") { markup, scalar in
            switch scalar {
            case "&": markup += "&amp;"
            case "<": markup += "&lt;"
            case ">": markup += "&gt;"
            case "\"": markup += "&quot;"
            case "'": markup += "&#39;"
            case "\n", "\t", "\r": markup += "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": markup += "\u{FFFD}"
            default: markup.unicodeScalars.append(scalar)
            }
        }
    }

    init(stringInterpolation: StringInterpolation) { description = stringInterpolation.markup }

    /// Escapes every text that is put into markup; only markup goes in as it stands.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var markup = ""

        init(literalCapacity: Int, interpolationCount: Int) { markup.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { markup += literal }
        mutating func appendInterpolation(_ value: Markup) { markup += value.description }
        mutating func appendInterpolation(_ text: String) { markup += Markup(escaping: text).description }
        mutating func appendInterpolation(_ number: Int) { markup += String(number) }
    }
}

extension Sequence<Markup> {
    func joined(separator: String = "\n") -> Markup {
        Markup(stringLiteral: map(\.description).joined(separator: separator))
    }
}
