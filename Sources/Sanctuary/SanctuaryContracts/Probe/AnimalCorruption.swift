/// How the vendor's payload of one animal is odd.
public enum AnimalCorruption: Sendable, Hashable {
    /// It has a field that nobody knows.
    case extraField
    /// It lacks a field that every animal has, by its name in the vendor's payload: "name".
    case missing(field: String)
    /// Its group is one that no app has heard of.
    case unknownGroup(String)
}
