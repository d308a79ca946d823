import Cofferdam
import SanctuaryContracts
import SanctuaryDomain

struct FakeCatalogue: Catalogue {
    let session: FakeSession

    func animals(_ request: AnimalsRequest) async throws -> Page<Animal> {
        let (page, issues) = try await session.call(.animals) { world in
            try world.update { state throws(SanctuaryError) in
                var (list, records) = ("animals", state.animals)
                if let group = request.group?.description {
                    state.requestedGroups.append(group)
                    list += " of \(group)"
                    records.removeAll { $0.value.group != group }
                }
                let page = try state.page(request.page, of: list, records, by: .animals)
                var issues: [TranslationIssue] = []
                let items = try readEach(page.items) { record, path throws(SanctuaryError) in
                    try record.animal(state.oddities[.animal(record.id)], at: path, &issues)
                }
                return (Page(items: items, next: page.next), issues)
            }
        }
        session.issues.report(issues, of: "animals")
        return page
    }

    func animal(_ id: AnimalID) async throws -> Animal {
        guard !id.rawValue.isEmpty else { throw SanctuaryError(.notFound, "no animal has such an id", subject: "") }
        let (animal, issues) = try await session.call(.animal) { world in
            try world.update { state throws(SanctuaryError) in
                guard let record = state.animals.first(where: { $0.id == id }) else {
                    throw SanctuaryError(.notFound, "no such animal", subject: id.rawValue)
                }
                var issues: [TranslationIssue] = []
                return (try record.animal(state.oddities[.animal(id)], at: "", &issues), issues)
            }
        }
        session.issues.report(issues, of: "animal")
        return animal
    }
}
