/// An animal as a vendor is told of it.
public struct AnimalFixture: Sendable, Hashable {
    public var name: String
    /// The vendor's word for the group: "mammal".
    public var group: String
    /// Nil: not recorded.
    public var legs: Int?
    public var heads: Int?

    public init(name: String, group: String, legs: Int?, heads: Int?) {
        self.name = name
        self.group = group
        self.legs = legs
        self.heads = heads
    }
}
