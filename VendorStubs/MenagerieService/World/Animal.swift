#if Sandbox
/// An animal of the catalogue as the platform stores it, independent of the APIs.
struct Animal: Sendable, Hashable, Codable {
    /// The id of v1, which increases with age.
    let legacyID: Int
    /// The id of v2. Some old records have it in upper case.
    let uuid: String
    var name: String
    var germanName: String?
    var kind: String
    /// nil: not recorded. 0: none.
    var legs: Int?
    /// nil: not recorded. 0: none.
    var heads: Int?

    /// Returns an identifier in the letter case that v2 uses.
    static func uuid(_ identifier: String, legacyID: Int) -> String {
        legacyID <= 101 && legacyID % 10 == 7 ? identifier.uppercased() : identifier
    }

    /// Returns the name to display.
    func displayName(in language: Language) -> String {
        switch language {
        case .english: name
        case .german: germanName ?? name
        }
    }
}

/// The catalogue.
struct AnimalStore: Sendable, Codable {
    private(set) var animals: AnimalList
    private var positions: [String: Int] = [:]
    private var identifiers: SeededGenerator
    /// The pictures that replace generated ones.
    var pictures: [Int: Picture] = [:]
    /// The number of picture bytes sent.
    var pictureBytesSent = 0
    /// The corruptions of animals' records, in the order of their injection.
    var corruptions: [Int: [Corruption]] = [:]

    init(seed: UInt64) {
        animals = AnimalList(seed: seed)
        identifiers = SeededGenerator(seed: seed, stream: 1)
    }

    /// An animal's fields without its ids.
    struct Entry: Sendable, Hashable {
        var name: String
        var germanName: String?
        var kind: String
        var legs: Int?
        var heads: Int?
    }

    @discardableResult
    mutating func add(_ entry: Entry) -> Animal {
        let legacyID = animals.count + 1
        let identifier = identifiers.identifier()
        let animal = Animal(
            legacyID: legacyID,
            uuid: Animal.uuid(identifier, legacyID: legacyID),
            name: entry.name,
            germanName: entry.germanName,
            kind: entry.kind,
            legs: entry.legs,
            heads: entry.heads
        )
        positions[identifier] = animals.count
        animals.append(animal)
        return animal
    }

    /// Adds animals in bulk, which use no memory.
    mutating func addMany(_ count: Int) { animals.appendMany(count) }

    func animal(legacyID: Int) -> Animal? {
        (0..<animals.count).contains(legacyID &- 1) ? animals[legacyID - 1] : nil
    }

    /// Returns the animal with a UUID, ignoring case.
    func animal(uuid: String) -> Animal? {
        let identifier = uuid.lowercased()
        return (positions[identifier] ?? animals.position(ofGenerated: identifier)).map { animals[$0] }
    }

    mutating func setKind(_ kind: String, of legacyID: Int) {
        if animals.indices.contains(legacyID &- 1) { animals.setKind(kind, at: legacyID - 1) }
    }

    /// Returns the answer with an animal's picture, and counts its bytes.
    mutating func pictureAnswer(of animal: Animal, to call: Call) -> Answer {
        let answer = Answer.picture(picture(of: animal), to: call)
        if case .bytes(let bytes, _) = answer.body { pictureBytesSent += bytes.count }
        return answer
    }

    func picture(of animal: Animal) -> Picture { pictures[animal.legacyID] ?? Picture(drawnFrom: animal.legacyID) }
}
#endif
