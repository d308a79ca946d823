/// The rule for the reason of a change that a person makes: it must tell a reader of the log something.
package enum ChangeReason {
    /// The least number of visible characters.
    package static let minimum = 3

    /// Returns what is wrong with the reason, for people; nil if nothing is.
    package static func problem(of reason: String) -> String? {
        guard reason.count(where: \.isVisible) < minimum else { return nil }
        return "a change needs a reason of at least \(minimum) letters, digits or symbols, for the log"
    }
}

extension Character {
    /// Whether it is a letter, a number or a symbol that a reader can see.
    fileprivate var isVisible: Bool {
        unicodeScalars.contains { scalar in
            // The blank Braille pattern is a symbol, and the fillers of Hangul are letters.
            guard scalar != "\u{2800}", !scalar.properties.isDefaultIgnorableCodePoint else { return false }
            return switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                .letterNumber, .otherNumber, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
                true
            default: false
            }
        }
    }
}
