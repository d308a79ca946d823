#if Sandbox
import SanctuaryContracts
import SanctuaryDomain
import Testing

/// Checks what LIST-08 does not cover of a catalogue filtered by group: its names, pages and cursors.
@Suite(.serialized, .timeLimit(.minutes(5))) struct NarrowedCatalogueTests {
    @Test(arguments: ["v1", "v2", "fake"])
    func `D31: a group is selected by its spelling alone, in pages of any size, and may have no animal`(
        _ adapter: String
    ) async throws {
        try await withSubject(adapter) { subject in
            try await subject.probe.reset(.empty)
            let seeded = try await subject.probe.seedAnimals(23)
            // One animal now belongs to an unknown group.
            try await subject.probe.setGroup("chimera/2.0 & co", of: seeded[4].id)
            let all = try await subject.services.catalogue.all(of: nil, limit: 50)
            #expect(all.count == 23)
            let groups = [
                "mammal", "bird", "reptile", "fish", "other", "chimera/2.0 & co", "Mammal", "mammal,fish", "unicorn",
                "",
            ]
            for group in groups {
                let expected = all.filter { $0.group.description == group }
                for limit in [1, 2, 50] {
                    let found = try await subject.services.catalogue.all(of: AnimalGroup(group), limit: limit)
                    #expect(found == expected, "\(group) by \(limit)")
                }
            }
            #expect(try await Set(subject.probe.requestedGroups()) == Set(groups))
        }
    }

    @Test(arguments: ["v1", "v2", "fake"])
    func `D31, LIST-06: a cursor continues the list of its own group, and of no other`(
        _ adapter: String
    ) async throws {
        try await withSubject(adapter) { subject in
            try await subject.probe.reset(.empty)
            for animal in try await subject.probe.seedAnimals(23).prefix(3) {
                try await subject.probe.setGroup("unicorn/1", of: animal.id)
            }
            let catalogue = subject.services.catalogue
            let lists: [AnimalGroup?] = [nil, .mammal, .fish, .unknown("unicorn/1"), .unknown("animals")]
            for list in lists {
                let first = try await catalogue.animals(AnimalsRequest(PageRequest(limit: 1), group: list))
                guard let next = first.next else {
                    #expect(list == .unknown("animals"))
                    continue
                }
                for other in lists {
                    let request = AnimalsRequest(PageRequest(cursor: next, limit: 1), group: other)
                    if other == list {
                        await #expect(throws: Never.self) { try await catalogue.animals(request) }
                    } else {
                        let error = await #expect(throws: SanctuaryError.self) { try await catalogue.animals(request) }
                        #expect(
                            error?.code == .invalidCursor,
                            "from \(String(describing: list)) to \(String(describing: other))"
                        )
                    }
                }
            }
        }
    }

    @Test(arguments: ["v1", "v2", "fake"])
    func `D31, D5: an animal that is added during a walk of its group comes once, and no other one twice`(
        _ adapter: String
    ) async throws {
        try await withSubject(adapter) { subject in
            try await subject.probe.reset(.empty)
            let seeded = try await subject.probe.seedAnimals(20)
            let fixture = AnimalFixture(name: "late", group: "bird", legs: 2, heads: 1)
            var late: [AnimalID] = []
            let found = try await subject.services.catalogue.all(of: .bird, limit: 2) {
                if late.count < 2 { late.append(try await subject.probe.addAnimal(fixture)) }
            }
            #expect(found.map(\.id) == seeded.filter { $0.group == .bird }.map(\.id) + late)
        }
    }

    @Test(arguments: ["v1", "v2", "fake"])
    func `D31: a limit below 1 is refused in a group too`(_ adapter: String) async throws {
        try await withSubject(adapter) { subject in
            let request = AnimalsRequest(PageRequest(limit: 0), group: .fish)
            let error = await #expect(throws: SanctuaryError.self) {
                try await subject.services.catalogue.animals(request)
            }
            #expect(error?.code == .invalidRequest)
        }
    }
}

extension Catalogue {
    /// - Parameter onPage: called after each page.
    fileprivate func all(
        of group: AnimalGroup?,
        limit: Int,
        onPage: () async throws -> Void = {}
    ) async throws -> [Animal] {
        var all: [Animal] = []
        var request = AnimalsRequest(PageRequest(limit: limit), group: group)
        repeat {
            let page = try await animals(request)
            #expect(page.items.count <= limit)
            all += page.items
            request.page.cursor = page.next
            try await onPage()
        } while request.page.cursor != nil
        return all
    }
}
#endif
