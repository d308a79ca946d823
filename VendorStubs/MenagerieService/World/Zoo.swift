#if Sandbox
// The catalogue's real animals are the "Zoo" data set of the UCI Machine Learning Repository (Richard Forsyth, 1990;
// CC BY 4.0): see Data/NOTICE.md.

/// The animals of a seeded world.
enum Zoo {
    /// Returns the data set's animals in its own order, then the mythological ones and the few that the data set lacks.
    static func entries() throws(ServiceError) -> [AnimalStore.Entry] { try read.get() }

    // Once for all worlds of a process: a test makes thousands.
    private static let read = Result { () throws(ServiceError) in
        try entries(ofTable: String(decoding: PackageResources.zoo_tab, as: UTF8.self)) + additions
    }

    static func entries(ofTable table: String) throws(ServiceError) -> [AnimalStore.Entry] {
        let lines = table.split(whereSeparator: \.isNewline)
        let columns = (lines.first ?? "").split(separator: "\t").map(String.init)
        guard let name = columns.firstIndex(of: "name"), let legs = columns.firstIndex(of: "legs"),
            let type = columns.firstIndex(of: "type")
        else { throw ServiceError(.badSeedData, "zoo.tab: line 1 lacks one of the columns name, legs and type") }
        var entries: [AnimalStore.Entry] = []
        for (index, line) in lines.enumerated().dropFirst(3) {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == columns.count, let legCount = Int(fields[legs]) else {
                throw ServiceError(.badSeedData, "zoo.tab: line \(index + 1) is malformed")
            }
            entries.append(
                AnimalStore.Entry(
                    name: fields[name],
                    germanName: germanNames[fields[name]],
                    kind: kind(ofType: fields[type]),
                    legs: legCount,
                    heads: 1
                )
            )
        }
        return entries
    }

    /// Returns the kind; the platform names four classes.
    private static func kind(ofType type: String) -> String {
        ["mammal", "bird", "reptile", "fish"].contains(type) ? type : "other"
    }

    private static let additions: [AnimalStore.Entry] = [
        .init(name: "kerberos", germanName: "Zerberus", kind: "other", legs: 4, heads: 3),
        .init(name: "hydra", germanName: "Hydra", kind: "other", legs: 4, heads: 7),
        .init(name: "medusa", germanName: "Meduse", kind: "other", legs: 2, heads: 1),
        .init(name: "tiger", germanName: "Tiger", kind: "mammal", legs: 4, heads: 1),
        .init(name: "cat", germanName: "Katze", kind: "mammal", legs: 4, heads: 1),
        .init(name: "bird", germanName: "Vogel", kind: "bird", legs: nil, heads: 1),
    ]

    private static let germanNames = [
        "aardvark": "Erdferkel", "bear": "Bär", "crow": "Krähe", "deer": "Hirsch", "elephant": "Elefant",
        "frog": "Frosch", "giraffe": "Giraffe", "honeybee": "Honigbiene", "lion": "Löwe", "octopus": "Krake",
        "penguin": "Pinguin", "tortoise": "Schildkröte", "wolf": "Wolf",
    ]
}
#endif
