public import SanctuaryDomain  // the houses hold the domain's animals

/// The whole catalogue, each animal in exactly one house.
public struct AnimalHouses: Sendable, Equatable {
    public var mythological: [MythologicalAnimal]
    public var regular: [Animal]
    /// The animals that fit no house: their group is unknown to this app.
    public var remainder: [Animal]

    public init(_ animals: [Animal]) {
        (mythological, regular, remainder) = ([], [], [])
        for animal in animals {
            if let mythical = MythologicalAnimal(animal) {
                mythological.append(mythical)
            } else if animal.group.isUnknown {
                remainder.append(animal)
            } else {
                regular.append(animal)
            }
        }
    }
}

/// A filter for the animals to show.
public enum AnimalKind: String, Sendable, Hashable, CaseIterable {
    /// All animals, including those of an unknown group.
    case all
    case regular, mythological
    /// Only animals of an unknown group, so that none is hidden.
    case remainder
}

/// The animals that match a filter, with the numbers of the whole catalogue.
public struct AnimalListing: Sendable, Equatable {
    /// The matching animals, in the catalogue's order.
    public var animals: [Animal]
    /// The houses of the whole catalogue, regardless of the filter.
    public var houses: AnimalHouses
    /// The number of animals in the catalogue.
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
    /// - Parameter text: a text in lower case; an empty one matches every name.
    fileprivate func matches(_ text: String) -> Bool {
        text.isEmpty || name.lowercased().contains(text) || displayName.lowercased().contains(text)
    }
}
