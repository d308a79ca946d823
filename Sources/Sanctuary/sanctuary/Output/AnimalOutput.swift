#if Sandbox
import Cofferdam
import CofferdamSupport
import SanctuaryApp
import SanctuaryDomain

/// An animal as the commands print it.
struct AnimalOutput: Encodable {
    let id: String
    let name: String
    let displayName: String
    let group: String
    /// Null unless recorded.
    let legs: Int?
    let heads: Int?
    /// The fields where the vendor's 0 may mean none or not recorded; they are null.
    let ambiguous: [String]

    init(_ animal: Animal) {
        id = animal.id.rawValue
        name = animal.name
        displayName = animal.displayName
        group = animal.group.description
        legs = animal.legs.known
        heads = animal.heads.known
        ambiguous = [("legs", animal.legs), ("heads", animal.heads)].filter { $0.1 == .ambiguousZero }.map(\.0)
    }

    private enum Key: String, CodingKey { case id, name, displayName, group, legs, heads, ambiguous }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(displayName, forKey: .displayName)
        try container.encode(group, forKey: .group)
        // Null is written, not omitted: both keys are always present.
        try container.encode(legs, forKey: .legs)
        try container.encode(heads, forKey: .heads)
        if !ambiguous.isEmpty { try container.encode(ambiguous, forKey: .ambiguous) }
    }

    /// A table of the animals, with their total number.
    static func table(_ listing: AnimalListing, _ style: TerminalStyle) -> String {
        let houses = listing.houses
        var summary = "\(listing.animals.count) of \(listing.total) animals"
        summary += " (\(houses.mythological.count) mythological, \(houses.regular.count) regular"
        if !houses.remainder.isEmpty { summary += ", \(houses.remainder.count) of an unknown group" }
        return table(listing.animals, style) + "\n" + style.apply(.dim, to: summary + ")") + "\n"
    }

    static func table(_ animals: [Animal], _ style: TerminalStyle) -> String {
        var table = TextTable([
            .init("ID"), .init("NAME"), .init("CALLED"), .init("GROUP"), .right("LEGS"), .right("HEADS"),
        ])
        for animal in animals {
            table.add([
                .init(animal.id.rawValue, .dim), .init(animal.name), .init(animal.displayName),
                .init(animal.group.description, animal.group.isUnknown ? .yellow : nil), animal.legs.cell,
                animal.heads.cell,
            ])
        }
        return table.render(style)
    }
}

extension Count {
    fileprivate var known: Int? { if case .known(let count) = self { count } else { nil } }

    fileprivate var cell: TextTable.Cell {
        switch self {
        case .known(let count): .init("\(count)")
        case .unknown: .init("?", .dim)
        case .ambiguousZero: .init("0?", .dim)
        }
    }
}
#endif
