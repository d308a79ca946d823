public import SanctuaryDomain  // what is mentioned are the domain's animals

/// A text that may mention animals, by name as "@hydra" or by id as "@42". It is shown with the animals' current names.
public struct MentioningText: Sendable, Hashable {
    /// A part of the text as it was written.
    public struct Part: Sendable, Hashable {
        public let written: String
        /// The mentioned animal; nil if the part is not a mention or the animal is unknown.
        public internal(set) var animal: Animal?

        init(_ written: some StringProtocol, animal: Animal? = nil) {
            self.written = String(written)
            self.animal = animal
        }

        /// The name or id after the "@"; nil if the part is not a mention.
        var name: Substring? { written.count > 1 && written.first == "@" ? written.dropFirst() : nil }
    }

    public internal(set) var parts: [Part]

    init(parts: [Part]) { self.parts = parts }

    /// Creates a text and finds its mentions, without resolving them to animals.
    public init(_ text: String) {
        parts = []
        var rest = text[...]
        while let at = Self.firstMention(in: rest) {
            if at > rest.startIndex { parts.append(Part(rest[..<at])) }
            let end = rest[rest.index(after: at)...].firstIndex { !$0.isInName } ?? rest.endIndex
            parts.append(Part(rest[at..<end]))
            rest = rest[end...]
        }
        if !rest.isEmpty { parts.append(Part(rest)) }
    }

    /// The text as it was written.
    public var written: String { parts.map(\.written).joined() }

    /// The text with the current names of the mentioned animals.
    public var shown: String { parts.map { part in part.animal.map { "@\($0.displayName)" } ?? part.written }.joined() }

    /// The mentioned animals, in the order of the text.
    public var animals: [Animal] { parts.compactMap(\.animal) }

    /// Whether the text mentions an unknown animal.
    var hasUnknownMentions: Bool { parts.contains { $0.name != nil && $0.animal == nil } }

    /// Returns the first "@" that begins a word, unlike that of an e-mail address.
    private static func firstMention(in text: Substring) -> Substring.Index? {
        var isInWord = false
        for index in text.indices {
            let next = text.index(after: index)
            if text[index] == "@", !isInWord, next < text.endIndex, text[next].isInName { return index }
            isInWord = text[index].isInName
        }
        return nil
    }
}

extension Character {
    fileprivate var isInName: Bool { isLetter || isNumber || self == "-" || self == "_" }
}
