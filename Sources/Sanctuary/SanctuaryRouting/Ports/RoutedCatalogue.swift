import CofferdamUpgrade
import SanctuaryDomain

struct RoutedCatalogue: Catalogue {
    let route: Route<any Catalogue>

    func animals(_ request: AnimalsRequest) async throws -> Page<Animal> {
        try await route.walk("animals", request, carrying: .pages(\.page.cursorText), comparing: .pages(of: .animals)) {
            try await $0.animals($1)
        }
    }

    func animal(_ id: AnimalID) async throws -> Animal {
        try await route.read("animal", id, comparing: .animals) { try await $0.animal($1) }
    }
}
