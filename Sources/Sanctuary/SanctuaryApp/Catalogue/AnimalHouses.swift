import Cofferdam
public import SanctuaryDomain  // the houses hold the domain's animals

/// The whole catalogue, each animal in exactly one house.
public struct AnimalHouses: Sendable, Equatable {
    public var mythological: [MythologicalAnimal]
    public var regular: [Animal]
    /// Neither: of a group that this app has never heard of.
    public var remainder: [Animal]

    public init(_ animals: [Animal]) {
        var split = Split(animals)
        mythological = split.take { MythologicalAnimal($0) }
        regular = split.take { $0.group.isUnknown ? nil : $0 }
        remainder = split.remainder
    }
}

/// Which animals to show.
public enum AnimalKind: String, Sendable, Hashable, CaseIterable {
    /// Those of an unknown group too.
    case all
    case regular, mythological
    /// Those of an unknown group alone: what this app has no place for is not hidden.
    case remainder
}

/// An answer to "which animals are there": the ones asked for, and how many there are besides.
public struct AnimalListing: Sendable, Equatable {
    /// In the catalogue's order.
    public var animals: [Animal]
    /// Of the whole catalogue, whatever was asked for.
    public var houses: AnimalHouses
    /// How many animals the catalogue has.
    public var total: Int

    init(of animals: [Animal], kind: AnimalKind, matching text: String) {
        let houses = AnimalHouses(animals)
        let shown: Set<AnimalID>? =
            switch kind {
            case .all: nil
            case .regular: Set(houses.regular.map(\.id))
            case .mythological: Set(houses.mythological.map(\.id))
            case .remainder: Set(houses.remainder.map(\.id))
            }
        let wanted = text.lowercased()
        self.animals = animals.filter { shown?.contains($0.id) != false && $0.matches(wanted) }
        self.houses = houses
        total = animals.count
    }
}

extension Animal {
    /// - Parameter text: in lower case; empty, it is in every name.
    fileprivate func matches(_ text: String) -> Bool {
        text.isEmpty || name.lowercased().contains(text) || displayName.lowercased().contains(text)
    }
}
