public import Cofferdam  // the catalogue and its houses are loadables
public import CofferdamStore  // and given out as the store has them
public import SanctuaryDomain  // the domain's animals

/// The catalogue, read whole and kept: lists, houses and details show the same animals.
public struct CatalogueFeature: Sendable {
    /// Every animal, in the catalogue's order.
    public var all: Loadable<[Animal]> { list.loadable }
    /// The same, each in exactly one house.
    public let houses: Loadable<AnimalHouses>
    public let mythological: Loadable<[MythologicalAnimal]>
    public let regular: Loadable<[Animal]>
    /// Those of a group that this app has never heard of: no screen hides them.
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

    /// The animals of that kind whose name, canonical or displayed, holds `text` in any letter case.
    ///
    /// Reads the catalogue if that has not been done lately; ``refresh()`` reads it again.
    public func animals(kind: AnimalKind = .all, matching text: String = "") async throws -> AnimalListing {
        AnimalListing(of: try await all.fetchIfNeeded(), kind: kind, matching: text)
    }

    /// The same from the vendor; where it cannot tell, from what was known before.
    public func latest(kind: AnimalKind = .all, matching text: String = "") async throws -> Latest<AnimalListing> {
        try await all.latest().map { AnimalListing(of: $0, kind: kind, matching: text) }
    }

    /// Reads the catalogue again; what there was stays while that goes on, and if it fails.
    public func refresh() async throws { try await all.fetch() }

    /// The newest of that animal, from the vendor; whatever shows it, shows that from then on. One that is gone is gone from
    /// all of it.
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

    /// The same; where the vendor cannot tell, what was known before.
    public func latest(_ id: AnimalID) async throws -> Latest<Animal> {
        do {
            return Latest(try await animal(id))
        } catch  where error.leavesOldVisible {
            // An animal may be known from an earlier life of the app alone.
            await all.syncIfNeeded()
            guard let known = store.model(Animal.self, id: id) else { throw error }
            return Latest(known, error: error, age: all.age)
        }
    }

    /// An animal as it changes, for its detail screen.
    public func details(of id: AnimalID) -> StoreStates<Animal?> { store.states(id: id) }

    /// The catalogue's animals as they are known now.
    public var current: PersistentList<Animal> { list.collection.elements }

    /// The catalogue's animals as they change, and how.
    public var states: StoreStates<CollectionState<Animal>> { list.collection.states }
}
