/// An animal to add at the vendor.
public struct AnimalFixture: Sendable, Hashable {
    public var name: String
    /// The vendor's name for the group: "mammal".
    public var group: String
    /// The number of legs; nil if not recorded.
    public var legs: Int?
    public var heads: Int?

    public init(name: String, group: String, legs: Int?, heads: Int?) {
        self.name = name
        self.group = group
        self.legs = legs
        self.heads = heads
    }
}
