import Cofferdam
import SanctuaryContracts
import SanctuaryDomain

struct FakeCatalogue: Catalogue {
    let session: FakeSession

    func animals(_ request: AnimalsRequest) async throws -> Page<Animal> {
        let page = try await session.call(.animals) { world in
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
        report(page.items.enumerated().map { ("items[\($0)].group", $1) }, of: "animals")
        return page
    }

    func animal(_ id: AnimalID) async throws -> Animal {
        let animal = try await session.call(.animal) { world in
            try world.update { state throws(SanctuaryError) in
                guard let record = state.animals.first(where: { $0.id == id }) else {
                    throw SanctuaryError(.notFound, "no such animal", subject: id.rawValue)
                }
                return try record.animal(state.oddities[.animal(id)], at: "")
            }
        }
        report([("group", animal)], of: "animal")
        return animal
    }

    /// Reports each unknown group.
    private func report(_ animals: [(path: String, animal: Animal)], of operation: String) {
        let found = animals.filter(\.animal.group.isUnknown).map {
            TranslationIssue("unknown group", at: $0.path, raw: $0.animal.group.description, severity: .warning)
        }
        session.issues.report(found, of: operation)
    }
}
