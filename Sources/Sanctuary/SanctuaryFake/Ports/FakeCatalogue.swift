import SanctuaryContracts
import SanctuaryDomain

struct FakeCatalogue: Catalogue {
    let session: FakeSession

    func animals(_ request: PageRequest) async throws -> Page<Animal> {
        try await session.call(.animals) { world in
            try world.update { state throws(SanctuaryError) in
                let page = try state.page(request, of: "animals", state.animals, by: .animals)
                var items: [Animal] = []
                for (index, record) in page.items.enumerated() {
                    items.append(try record.animal(state.oddities[record.id], at: "items[\(index)]"))
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
                return try record.animal(state.oddities[id], at: "")
            }
        }
    }
}
