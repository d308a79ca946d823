/// An animal of the sanctuary, independent of the vendor.
public struct Animal: Sendable, Hashable, Identifiable {
    /// The id, which is stable across the vendor's majors: an id stored under one resolves under the other.
    public let id: AnimalID
    /// The canonical English name, which identifies a species. It is not unique: there are two frogs.
    public var name: String
    /// The name in the user's language; the canonical one if the vendor has no translation.
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

/// A permanent id of an animal. It is opaque: compared and stored, never parsed.
///
/// Its spelling is canonical, so that `==` means the same animal: an adapter builds it from the vendor's oldest id if
/// there is one, in lower case, and normalising it again has no effect.
public struct AnimalID: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue.lowercased() }
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }
    public var description: String { rawValue }
}

/// The vendor's zoological group. The set is open: an unknown value keeps its raw spelling.
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

/// A number of legs or heads: none, some, not recorded, or an ambiguous zero.
public enum Count: Sendable, Hashable, CustomStringConvertible {
    /// A recorded count; `known(0)` means none.
    case known(Int)
    /// Not recorded.
    case unknown
    /// The vendor sent 0, which it also sends for "not recorded": the two cannot be told apart.
    case ambiguousZero

    public var description: String {
        switch self {
        case .known(let count): "\(count)"
        case .unknown: "unknown"
        case .ambiguousZero: "0?"
        }
    }
}
