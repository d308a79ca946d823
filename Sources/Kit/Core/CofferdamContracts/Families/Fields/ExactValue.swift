/// Whether two values are equal, and each text in them has the same Unicode scalars. (`==` of `String` is canonical
/// equivalence, which a text that was normalised passes.)
func isExactly<Value: Equatable>(_ a: Value, _ b: Value) -> Bool { a == b && texts(in: a) == texts(in: b) }

/// A key that is the same only for exactly the same value.
struct Exact<Value: Hashable & Sendable>: Hashable, Sendable {
    private let value: Value
    private let texts: [[UInt8]]

    init(_ value: Value) {
        self.value = value
        texts = CofferdamContracts.texts(in: value)
    }
}

/// How a shown value differs from the expected one; nil if it is exactly the same.
func difference<Value: Equatable>(_ shown: Value, _ expected: Value) -> String? {
    guard !isExactly(shown, expected) else { return nil }
    let (got, wanted) = (readable(shown), readable(expected))
    guard got == wanted else { return "expected \(wanted), got \(got)" }
    let (left, right) = (Array("\(shown)".unicodeScalars), Array("\(expected)".unicodeScalars))
    let place = zip(left, right).enumerated().first { $1.0 != $1.1 }?.offset ?? min(left.count, right.count)
    let parts = [right, left].map { letters in
        readable(String(String.UnicodeScalarView(letters[min(place, letters.count)...].prefix(20))))
    }
    return "expected \(wanted), got another one: from letter \(place + 1) on \(parts[0]) became \(parts[1])"
}

/// The value's text with escapes for what is invisible or looks like something else; a long one is shortened.
func readable(_ value: some Any) -> String {
    let text = value as? String
    let letters = (text ?? "\(value)").unicodeScalars
    let limit = 60
    var shown = letters.prefix(limit).map { scalar in
        scalar.isPlain ? "\(scalar)" : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }.joined()
    if letters.count > limit { shown += "… of \(letters.count) letters" }
    return text == nil ? shown : "\"\(shown)\""
}

extension Unicode.Scalar {
    /// Whether the letter is visible, stands alone, and is not a variant of another one.
    fileprivate var isPlain: Bool {
        if isASCII { return (0x20...0x7E).contains(value) }
        guard !properties.changesWhenNFKCCaseFolded, !(0x1100...0x11FF).contains(value) else { return false }
        return switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .otherLetter, .decimalNumber, .otherSymbol, .currencySymbol: true
        default: false
        }
    }
}

/// The bytes of every text in a value, in order; those of a set or a dictionary in an order of their own.
private func texts(in value: Any, depth: Int = 0) -> [[UInt8]] {
    switch value {
    case let text as String: return [Array(text.utf8)]
    case let text as Substring: return [Array(text.utf8)]
    case let letter as Character: return [Array(String(letter).utf8)]
    case is [UInt8]: return []
    default:
        let mirror = Mirror(reflecting: value)
        guard depth < 16, !mirror.children.isEmpty else { return [] }
        let parts = mirror.children.map { texts(in: $0.value, depth: depth + 1) }
        guard mirror.displayStyle == .set || mirror.displayStyle == .dictionary else { return parts.flatMap(\.self) }
        return parts.sorted { $0.joined(separator: [0]).lexicographicallyPrecedes($1.joined(separator: [0])) }
            .flatMap(\.self)
    }
}
