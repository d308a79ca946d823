#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// The catalogue, with the vendor's cursors and the domain's ids, whichever ids the vendor uses.
struct V2Catalogue: Catalogue {
    let connection: Connection

    func animals(_ request: AnimalsRequest) async throws -> SanctuaryDomain.Page<SanctuaryDomain.Animal> {
        try await connection.perform { [connection] in
            let asked = try VendorCursor.asked(request.page)
            let filter = AnimalFilter(kind: request.group.map { AnimalKind(rawValue: $0.description) })
            // The vendor's cursors are valid only for their filter.
            let page = try await connection.ask { client in
                try await client.animals(filter: filter, cursor: asked?.vendor, limit: request.page.limit)
            }
            try await connection.learnIDs(of: page.items)
            let animals = try await connection.read(page.items, as: .animals(connection.ids), of: "animals")
            var seen = asked?.seen ?? SeenAnimals()
            let items = animals.filter { seen.insert($0.id) }
            return SanctuaryDomain.Page(
                items: items,
                next: try VendorCursor.next(after: page, asked: asked, seen: seen)
            )
        }
    }

    func animal(_ id: AnimalID) async throws -> SanctuaryDomain.Animal {
        try await connection.perform(subject: id.rawValue) { [connection] in
            let vendorID = try await connection.vendorID(of: id)
            let animal = try await connection.ask { client in try await client.animal(id: vendorID) }
            try await connection.learnIDs(of: [animal])
            return try await connection.read(animal, as: .animals(connection.ids), of: "animal")
        }
    }
}
#endif
