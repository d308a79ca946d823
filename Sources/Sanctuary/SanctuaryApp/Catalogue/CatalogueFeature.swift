import Cofferdam
public import CofferdamState  // the catalogue and its houses are loadables
public import CofferdamStore  // details and states are the store's sequences
public import SanctuaryDomain  // the domain's animals

/// The catalogue, loaded as a whole and saved. Lists, houses and details show the same animals.
public struct CatalogueFeature: Sendable {
    /// Every animal, in the catalogue's order.
    public var all: Loadable<[Animal]> { list.loadable }
    /// The animals of ``all``, each in exactly one house.
    public let houses: Loadable<AnimalHouses>
    public let mythological: Loadable<[MythologicalAnimal]>
    public let regular: Loadable<[Animal]>
    /// The animals whose group is unknown to this app, which no screen hides.
    public let remainder: Loadable<[Animal]>

    let list: StoreList<Animal>
    private let port: any Catalogue
    private let store: Store

    init(port: any Catalogue, store: Store, storage: ListStorage?, limits: WalkLimits) {
        self.port = port
        self.store = store
        list = StoreList(in: store, persistence: storage.map { ListPersistence($0) }, freshness: .list) {
            try await walk("animals", limits: limits) { try await port.animals(AnimalsRequest($0)) }
        }
        houses = list.loadable.map { AnimalHouses($0) }
        mythological = houses.map(\.mythological)
        regular = houses.map(\.regular)
        remainder = houses.map(\.remainder)
    }

    /// Returns the animals of that kind whose canonical or displayed name contains `text`, ignoring case.
    ///
    /// Reads the catalogue unless it is still fresh; ``refresh()`` always reads it.
    public func animals(kind: AnimalKind = .all, matching text: String = "") async throws -> AnimalListing {
        AnimalListing(of: try await all.fetchIfNeeded(), kind: kind, matching: text)
    }

    /// Reads the catalogue and returns its matching animals; if that fails, those of the catalogue loaded before.
    public func latest(kind: AnimalKind = .all, matching text: String = "") async throws -> Latest<AnimalListing> {
        try await all.latest().map { AnimalListing(of: $0, kind: kind, matching: text) }
    }

    /// Reads the catalogue again. The old one stays visible until then, and if reading fails.
    public func refresh() async throws { try await all.fetch() }

    /// Reads the animal from the vendor, and updates it on every screen. An animal that no longer exists is removed
    /// from all of them.
    public func animal(_ id: AnimalID) async throws -> Animal {
        do {
            let animal = try await port.animal(id)
            store.set(animal)
            return animal
        } catch let error as SanctuaryError where error.code == .notFound {
            store.remove(Animal.self, id: id)
            throw error
        }
    }

    /// Reads the animal from the vendor; if that fails, returns the one loaded before.
    public func latest(_ id: AnimalID) async throws -> Latest<Animal> {
        do {
            return Latest(try await animal(id))
        } catch  where error.leavesOldVisible {
            // The animal may be known only from the list that an earlier launch saved.
            await all.syncIfNeeded()
            guard let known = store.model(Animal.self, id: id) else { throw error }
            return Latest(known, error: error, age: all.age)
        }
    }

    /// The animal and its changes, for its detail screen.
    public func details(of id: AnimalID) -> StoreStates<Animal?> { store.states(id: id) }

    /// The catalogue's current animals.
    public var current: PersistentList<Animal> { list.collection.elements }

    /// The catalogue's animals and their changes, with the steps of each change.
    public var states: StoreStates<CollectionState<Animal>> { list.collection.states }
}
