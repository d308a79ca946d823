import SanctuaryContracts
import SanctuaryDomain

struct FakeCatalogue: Catalogue {
    let session: FakeSession

    func animals(_ request: AnimalsRequest) async throws -> Page<Animal> {
        try await session.call(.animals) { world in
            try world.update { state throws(SanctuaryError) in
                var (list, records) = ("animals", state.animals)
                if let group = request.group?.description {
                    state.requestedGroups.append(group)
                    list += " of \(group)"
                    records.removeAll { $0.value.group != group }
                }
                let page = try state.page(request.page, of: list, records, by: .animals)
                let items = try readEach(page.items) { record, path throws(SanctuaryError) in
                    try record.animal(state.oddities[.animal(record.id)], at: path)
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
                return try record.animal(state.oddities[.animal(id)], at: "")
            }
        }
    }
}
