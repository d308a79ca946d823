/// The kind of value that a field holds: its corpus, and the mistakes that adapters make with such values.
///
/// The corpus is data: each value stands for a class of real bugs, which its reason names. A finding tells value and
/// reason.
///
/// ```swift
/// let title = FieldKind.text.atMost(2000, .utf8)
/// let price = FieldKind.money(["EUR": 2, "JPY": 0]) { Money(minorUnits: $0, currency: $1) } back: { … }
/// let chapters = FieldKind.list(.text)
/// ```
///
/// A kind of your own is made of another one with ``mapped(_:back:)``, or of your own values with
/// ``init(corpus:mistakes:)``.
public struct FieldKind<Value: Sendable & Hashable>: Sendable {
    /// The values that every operation must show, and write, exactly.
    public private(set) var corpus: [Example]
    /// The values beyond the port's limits, which a write refuses. An operation that shows the field never meets them.
    public internal(set) var refused: [Example] = []
    /// What careless adapters do to such a value, for the mutants.
    public private(set) var mistakes: [Mistake]

    /// A value, and the class of bugs that it stands for.
    public struct Example: Sendable {
        /// The value that is seeded or written.
        public let value: Value
        /// Which bug shows here: "white space at an end is trimmed".
        public let reason: String

        /// Pairs a value with its reason.
        public init(_ value: Value, _ reason: String) {
            self.value = value
            self.reason = reason
        }
    }

    /// One way in which a value is spoiled.
    public struct Mistake: Sendable {
        /// What the careless adapter does: "trims".
        public let name: String
        let make: @Sendable (Value) -> Value

        /// Describes a mistake.
        ///
        /// - Parameter make: returns the spoiled value; the same value where the mistake shows nothing.
        public init(_ name: String, _ make: @escaping @Sendable (Value) -> Value) {
            self.name = name
            self.make = make
        }
    }

    /// Describes a kind by its values and mistakes.
    public init(corpus: [Example], mistakes: [Mistake]) {
        self.corpus = corpus
        self.mistakes = mistakes
    }

    /// Returns the kind with a further value, which your own vendor or your own past suggests.
    public func adding(_ value: Value, because reason: String) -> FieldKind {
        var kind = self
        kind.corpus.append(Example(value, reason))
        return kind
    }

    /// Returns the kind narrowed to what the port accepts: a write refuses the other values, with the declared error
    /// that names the field.
    public func accepting(_ isAccepted: (Value) -> Bool) -> FieldKind {
        var kind = self
        kind.refused += kind.corpus.filter { !isAccepted($0.value) }
        kind.corpus.removeAll { !isAccepted($0.value) }
        return kind
    }

    /// Returns the kind without the values that the vendor cannot hold, such as fractions of seconds. No rule tries
    /// them.
    public func leavingOut(_ isImpossible: (Value) -> Bool) -> FieldKind {
        var kind = self
        kind.corpus.removeAll { isImpossible($0.value) }
        kind.refused.removeAll { isImpossible($0.value) }
        return kind
    }

    /// Returns the kind for a type of your own.
    ///
    /// - Parameters:
    ///   - make: makes your type of a value; nil if it cannot hold that value, which is then left out.
    ///   - back: returns the value that your type holds; nil if it holds none, which mistakes then leave alone.
    public func mapped<Other: Sendable & Hashable>(
        _ make: @escaping @Sendable (Value) -> Other?,
        back: @escaping @Sendable (Other) -> Value?
    ) -> FieldKind<Other> {
        func examples(_ examples: [Example]) -> [FieldKind<Other>.Example] {
            examples.compactMap { example in make(example.value).map { .init($0, example.reason) } }
        }
        var kind = FieldKind<Other>(
            corpus: examples(corpus),
            mistakes: mistakes.map { mistake in
                .init(mistake.name) { other in back(other).flatMap { make(mistake.make($0)) } ?? other }
            }
        )
        kind.refused = examples(refused)
        return kind
    }
}

extension FieldKind where Value == String {
    /// The unit in which a vendor counts the length of a text.
    public enum TextUnit: Sendable {
        /// Bytes of UTF-8, as most databases and services count.
        case utf8
        /// Units of UTF-16, as Java, JavaScript and `NSString` count.
        case utf16
        /// Unicode scalars, as PostgreSQL and Python count.
        case scalars

        func count(_ text: String) -> Int {
            switch self {
            case .utf8: text.utf8.count
            case .utf16: text.utf16.count
            case .scalars: text.unicodeScalars.count
            }
        }
    }

    /// Returns texts of at most this length: the longest ones are accepted, also of letters that count more than once,
    /// and those with one letter more are refused.
    public func atMost(_ limit: Int, _ unit: TextUnit) -> FieldKind {
        var kind = accepting { unit.count($0) <= limit }
        for (letter, what) in [("a", "letters of one byte"), ("🦁", "letters of four bytes")] {
            let longest = String(repeating: letter, count: limit / unit.count(letter))
            kind.corpus.append(.init(longest, "as long as the limit allows, of \(what)"))
            kind.refused.append(.init(longest + letter, "one letter longer than the limit, of \(what)"))
        }
        return kind
    }

    /// Returns texts of at least one letter; the empty one is refused.
    public var notEmpty: FieldKind { accepting { !$0.isEmpty } }
}
