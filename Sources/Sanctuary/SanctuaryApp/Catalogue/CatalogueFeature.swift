import Cofferdam
public import CofferdamStore  // the catalogue is given out as the store has it
public import SanctuaryDomain  // the domain's animals

/// The catalogue, read whole and kept: lists and details show the same animals.
public struct CatalogueFeature: Sendable {
    private let port: any Catalogue
    private let store: Store
    private let ids: Loadable<[AnimalID]>
    private let list: StoreCollection<Animal>

    init(port: any Catalogue, store: Store, limits: WalkLimits) {
        self.port = port
        self.store = store
        let list = StoreCollection<Animal>(in: store)
        self.list = list
        ids = Loadable {
            let animals = try await walk("animals", limits: limits) { try await port.animals(AnimalsRequest($0)) }
            list.set(animals)
            return animals.map(\.id)
        }
    }

    /// The animals of that kind whose name, canonical or displayed, holds `text` in any letter case.
    ///
    /// Reads the catalogue if that has not been done yet; ``refresh()`` reads it again.
    public func animals(kind: AnimalKind = .all, matching text: String = "") async throws -> AnimalListing {
        _ = try await ids.fetchIfNeeded()
        let animals = Array(list.elements)
        let houses = AnimalHouses(animals)
        let shown: Set<AnimalID>? =
            switch kind {
            case .all: nil
            case .regular: Set(houses.regular.map(\.id))
            case .mythological: Set(houses.mythological.map(\.id))
            case .remainder: Set(houses.remainder.map(\.id))
            }
        let wanted = text.lowercased()
        return AnimalListing(
            animals: animals.filter { shown?.contains($0.id) != false && $0.matches(wanted) },
            houses: houses,
            total: animals.count
        )
    }

    /// Reads the catalogue again; what there was stays while that goes on, and if it fails.
    public func refresh() async throws { _ = try await ids.fetch() }

    /// The newest of that animal, from the vendor; lists show it too from then on.
    public func animal(_ id: AnimalID) async throws -> Animal {
        let animal = try await port.animal(id)
        store.set(animal)
        return animal
    }

    /// The catalogue's animals as they are known now.
    public var current: PersistentList<Animal> { list.elements }

    /// The catalogue's animals as they change.
    public var states: StoreStates<CollectionState<Animal>> { list.states }
}

extension Animal: StoreModel {
    /// - Parameter text: in lower case; empty, it is in every name.
    fileprivate func matches(_ text: String) -> Bool {
        text.isEmpty || name.lowercased().contains(text) || displayName.lowercased().contains(text)
    }
}
