/// An animal of the catalogue, as the platform keeps it: what each API makes of it is the API's matter.
struct Animal: Sendable, Hashable, Codable {
    /// v1's id, which grows with age.
    let legacyID: Int
    /// v2's id. Some old records have it in upper case.
    let uuid: String
    var name: String
    var germanName: String?
    var kind: String
    /// nil: not recorded. 0: none.
    var legs: Int?
    /// nil: not recorded. 0: none.
    var heads: Int?

    /// An identifier in the letter case that v2 answers with.
    static func uuid(_ identifier: String, legacyID: Int) -> String {
        legacyID <= 101 && legacyID % 10 == 7 ? identifier.uppercased() : identifier
    }

    /// What a person is shown.
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
    /// Pictures that were put in the place of the drawn ones.
    var pictures: [Int: Picture] = [:]
    /// How many bytes of pictures were sent.
    var pictureBytesSent = 0
    /// What is wrong with the records that the APIs show, in the order it was asked for.
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

    /// Adds so many in bulk: they take no memory.
    mutating func addMany(_ count: Int) { animals.appendMany(count) }

    func animal(legacyID: Int) -> Animal? {
        (0..<animals.count).contains(legacyID &- 1) ? animals[legacyID - 1] : nil
    }

    /// By a UUID in any letter case.
    func animal(uuid: String) -> Animal? {
        let identifier = uuid.lowercased()
        return (positions[identifier] ?? animals.position(ofMade: identifier)).map { animals[$0] }
    }

    mutating func setKind(_ kind: String, of legacyID: Int) {
        if animals.indices.contains(legacyID &- 1) { animals.setKind(kind, at: legacyID - 1) }
    }

    /// The picture's answer, counted.
    mutating func pictureAnswer(of animal: Animal, to call: Call) -> Answer {
        let answer = Answer.picture(picture(of: animal), to: call)
        if case .bytes(let bytes, _) = answer.body { pictureBytesSent += bytes.count }
        return answer
    }

    func picture(of animal: Animal) -> Picture { pictures[animal.legacyID] ?? Picture(drawnFrom: animal.legacyID) }
}
