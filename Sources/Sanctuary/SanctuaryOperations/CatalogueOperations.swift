public import Cofferdam  // operations are the kit's values
public import SanctuaryDomain  // of the domain's ports

/// The operations of ``Catalogue``.
public enum CatalogueOperations {
    public static let animals = PortOperation<any Catalogue, AnimalsRequest, Page<Animal>>("animals", .read) {
        try await $0.animals($1)
    }
    .paged(by: .pages(cursor: { $0.page.cursor?.rawValue }, setCursor: { $0.page.cursor = Cursor($1) }))
    .compared(by: .pages(of: .animals))
    .spoiled { $0.items = $0.items.dropLast() }
    .recorded(as: PageRecord<AnimalRecord>.self) {
        ["cursor": $0.page.cursor?.rawValue, "group": $0.group?.description, "limit": $0.page.limit]
    }

    public static let animal = PortOperation<any Catalogue, AnimalID, Animal>("animal", .read) {
        try await $0.animal($1)
    }
    .compared(by: .animals)
    .spoiled { $0.displayName += "." }
    .recorded(as: AnimalRecord.self) { ["id": $0.rawValue] }
}

extension Intercepted: Catalogue where Port == any Catalogue {
    public func animals(_ request: AnimalsRequest) async throws -> Page<Animal> {
        try await call(CatalogueOperations.animals, request) { try await $0.animals($1) }
    }

    public func animal(_ id: AnimalID) async throws -> Animal {
        try await call(CatalogueOperations.animal, id) { try await $0.animal($1) }
    }
}
