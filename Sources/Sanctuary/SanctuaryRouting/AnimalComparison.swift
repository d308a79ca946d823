public import CofferdamUpgrade  // expectations are the kit's values
public import SanctuaryDomain  // what is compared

/// What is known to differ between the catalogue by V1 and by V2, as MIGRATION.md names it.
public let expectedCatalogueDifferences: [ExpectedDifference] = ["legs", "heads"].map { field in
    ExpectedDifference(
        id: "D2",
        path: field,
        reason: "V1 says 0 for none and for not recorded",
        changes: [.init(from: "\(Count.ambiguousZero)", to: ["\(Count.unknown)", "\(Count.known(0))"])]
    )
}

extension Comparator<Animal> {
    /// Every field of an animal but its id, by which it is found.
    public static var animals: Self {
        Self().field("name", \.name).field("displayName", \.displayName).field("group", \.group).field("legs", \.legs)
            .field("heads", \.heads)
    }
}
