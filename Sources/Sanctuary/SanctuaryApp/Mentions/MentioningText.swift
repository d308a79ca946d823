public import SanctuaryDomain  // what is mentioned are the domain's animals

/// A text that may mention animals, by name as "@hydra" or by id as "@42". It is shown with the names that they have now.
public struct MentioningText: Sendable, Hashable {
    /// A part of the text as it was written.
    public struct Part: Sendable, Hashable {
        public let written: String
        /// The mentioned animal; nil where the part is no mention or the animal is unknown.
        public internal(set) var animal: Animal?

        init(_ written: some StringProtocol, animal: Animal? = nil) {
            self.written = String(written)
            self.animal = animal
        }

        /// What stands after the "@"; nil where it is no mention.
        var name: Substring? { written.count > 1 && written.first == "@" ? written.dropFirst() : nil }
    }

    public internal(set) var parts: [Part]

    init(parts: [Part]) { self.parts = parts }

    /// Finds the mentions; whom they mean is not known yet.
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

    /// As it was written.
    public var written: String { parts.map(\.written).joined() }

    /// As it is to be read.
    public var shown: String { parts.map { part in part.animal.map { "@\($0.displayName)" } ?? part.written }.joined() }

    /// In the order in which they are mentioned.
    public var animals: [Animal] { parts.compactMap(\.animal) }

    /// Whether the text mentions an unknown animal.
    var hasUnknownMentions: Bool { parts.contains { $0.name != nil && $0.animal == nil } }

    /// An "@" that begins a word: not the one of an address.
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
