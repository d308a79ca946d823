public import SanctuaryDomain  // a mythological animal is one of the domain's

/// An animal that the sanctuary keeps in a house of its own, recognised by its canonical name.
public struct MythologicalAnimal: Sendable, Hashable, Identifiable {
    public let creature: Creature
    public let animal: Animal
    public var id: AnimalID { animal.id }

    /// Nil if the animal's name is that of no creature of myth, in any letter case.
    public init?(_ animal: Animal) {
        guard let creature = Creature(named: animal.name) else { return nil }
        self.creature = creature
        self.animal = animal
    }

    public enum Creature: String, Sendable, Hashable, CaseIterable {
        case kerberos, hydra, medusa

        /// Both spellings of the hound are in use: a reader that knows one alone finds nothing in the other's data.
        init?(named name: String) {
            let name = name.lowercased()
            self.init(rawValue: name == "cerberus" ? "kerberos" : name)
        }
    }
}
