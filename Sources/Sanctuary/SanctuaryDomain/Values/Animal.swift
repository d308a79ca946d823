/// An animal of the sanctuary, whichever vendor told of it.
public struct Animal: Sendable, Hashable, Identifiable {
    /// Stable across the vendor's majors: an id stored under one resolves under the other.
    public let id: AnimalID
    /// The canonical English name, by which a kind is recognised. Not unique: there are two frogs.
    public var name: String
    /// The name in the reader's language; the canonical one where the vendor has no translation.
    public var displayName: String
    public var group: AnimalGroup
    public var legs: Count
    public var heads: Count

    public init(id: AnimalID, name: String, displayName: String, group: AnimalGroup, legs: Count, heads: Count) {
        self.id = id
        self.name = name
        self.displayName = displayName
        self.group = group
        self.legs = legs
        self.heads = heads
    }
}

/// Names one animal for ever. Opaque: it is compared and stored, never read.
///
/// Its spelling is canonical, so that `==` means the same animal: an adapter makes it with the vendor's oldest id where
/// there is one, in lower case, and normalising it again changes nothing.
public struct AnimalID: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue.lowercased() }
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }
    public var description: String { rawValue }
}

/// The vendor's zoological group, open at the end: a value this app has never heard of keeps its raw spelling.
public enum AnimalGroup: Sendable, Hashable, CustomStringConvertible {
    case mammal, bird, reptile, fish, other
    case unknown(String)

    public init(_ raw: String) {
        switch raw {
        case "mammal": self = .mammal
        case "bird": self = .bird
        case "reptile": self = .reptile
        case "fish": self = .fish
        case "other": self = .other
        default: self = .unknown(raw)
        }
    }

    public var description: String {
        switch self {
        case .mammal: "mammal"
        case .bird: "bird"
        case .reptile: "reptile"
        case .fish: "fish"
        case .other: "other"
        case .unknown(let raw): raw
        }
    }

    public var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

/// How many legs or heads: none, some, not recorded, or a zero that may mean either.
public enum Count: Sendable, Hashable, CustomStringConvertible {
    /// Counted; `known(0)` is truly none.
    case known(Int)
    /// Not recorded.
    case unknown
    /// The vendor said 0, which it also says for "not recorded": nobody can ever tell.
    case ambiguousZero

    public var description: String {
        switch self {
        case .known(let count): "\(count)"
        case .unknown: "unknown"
        case .ambiguousZero: "0?"
        }
    }
}
