import SanctuaryContracts
import SanctuaryDomain

struct FakeCatalogue: Catalogue {
    let session: FakeSession

    func animals(_ request: PageRequest) async throws -> Page<Animal> {
        try await session.call(.animals) { world in
            try world.update { state throws(SanctuaryError) in
                let page = try state.page(request, of: "animals", state.animals, isAnimals: true)
                var items: [Animal] = []
                for (index, record) in page.items.enumerated() {
                    items.append(try record.animal(state.corruptions[record.id], at: "items[\(index)]"))
                }
                return Page(items: items, next: page.next)
            }
        }
    }

    func animal(_ id: AnimalID) async throws -> Animal {
        try await session.call(.animal) { world in
            try world.update { state throws(SanctuaryError) in
                guard let record = state.animals.first(where: { $0.id == id }) else {
                    throw SanctuaryError(.notFound, "no such animal", subject: id.rawValue)
                }
                return try record.animal(state.corruptions[id], at: "")
            }
        }
    }
}

struct FakePhotos: Photos {
    let session: FakeSession

    func photo(of id: AnimalID) async throws -> Photo {
        try await session.call(.photo) { world in
            try world.update { state throws(SanctuaryError) in
                guard let photo = state.photos[id] else {
                    throw SanctuaryError(.notFound, "no such animal, or no picture of it", subject: id.rawValue)
                }
                return photo
            }
        }
    }
}
