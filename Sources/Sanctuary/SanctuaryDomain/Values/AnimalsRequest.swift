/// A request for one page of the catalogue.
public struct AnimalsRequest: Sendable, Hashable {
    /// Only animals of this group, by its exact spelling; nil: all.
    public var group: AnimalGroup?
    public var page: PageRequest

    public init(_ page: PageRequest = PageRequest(), group: AnimalGroup? = nil) {
        self.group = group
        self.page = page
    }
}
