import CofferdamStore

struct Card: StoreModel {
    typealias Entity = Animal
    var id: Int
    var name: String

    func merging(_ projection: any StoreModel) -> Card {
        guard let animal = projection as? Animal else { return self }
        return Card(id: id, name: animal.name)
    }
}

struct Animal: CachedModel {
    var id: Int
    var name: String
    var legs: Int

    func merging(_ projection: any StoreModel) -> Animal {
        guard let card = projection as? Card else { return self }
        return Animal(id: id, name: card.name, legs: legs)
    }
}
