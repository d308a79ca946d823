public import SanctuaryDomain  // a mythological animal is one of the domain's

/// An animal that the sanctuary keeps in a house of its own, recognised by its canonical name.
public struct MythologicalAnimal: Sendable, Hashable, Identifiable {
    public let creature: Creature
    public let animal: Animal
    public var id: AnimalID { animal.id }

    /// Creates one from an animal; nil if its name, ignoring case, is not that of a mythological animal.
    public init?(_ animal: Animal) {
        guard let creature = Creature(named: animal.name) else { return nil }
        self.creature = creature
        self.animal = animal
    }

    public enum Creature: String, Sendable, Hashable, CaseIterable {
        case kerberos, hydra, medusa

        /// Accepts both spellings of the hound, because both occur in data.
        init?(named name: String) {
            let name = name.lowercased()
            self.init(rawValue: name == "cerberus" ? "kerberos" : name)
        }
    }
}
