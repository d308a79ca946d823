/// A request for one page of the catalogue.
public struct AnimalsRequest: Sendable, Hashable {
    /// The group of the animals, by its exact spelling; nil for all animals.
    public var group: AnimalGroup?
    public var page: PageRequest

    public init(_ page: PageRequest = PageRequest(), group: AnimalGroup? = nil) {
        self.group = group
        self.page = page
    }
}
