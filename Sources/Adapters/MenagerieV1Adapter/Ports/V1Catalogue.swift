#if Sandbox
import Cofferdam
import MenagerieV1
import SanctuaryDomain

struct V1Catalogue: Catalogue {
    let vendor: Vendor
    /// The user's language, if it is not English.
    let language: String?

    init(vendor: Vendor, language: String) {
        self.vendor = vendor
        let primary = language.lowercased().prefix { $0 != "-" && $0 != "_" }
        self.language = primary.isEmpty || primary == "en" ? nil : language
    }

    func animals(_ request: AnimalsRequest) async throws -> Page<SanctuaryDomain.Animal> {
        try Task.checkCancellation()
        let kind = request.group?.description
        let list = kind.map { "animals of \($0)" } ?? "animals"
        let limit = try request.page.vendorLimit()
        let offset = try OffsetCursor.offset(of: request.page, in: list)
        async let names = displayNames(kind, offset, limit)
        var batch: Batch<SanctuaryDomain.Animal> = try await vendor.call { sdk, answer in
            sdk.fetchAnimals(ofKind: kind, offset: offset, limit: limit, language: "en") {
                @Sendable animals, total, error in answer(animals.map { ($0, total) }, error)
            }
        } translate: { [vendor] animals, total throws(SanctuaryError) in
            Batch(items: try vendor.translate(animals, by: .animal, "animals"), total: total)
        }
        let translations = try await names
        for index in batch.items.indices {
            if let name = translations[batch.items[index].id] { batch.items[index].displayName = name }
        }
        var page = try batch.page(at: offset, limit: limit, in: list)
        // This vendor ignores a kind it does not know, and returns all animals.
        if let kind { page.items.removeAll { $0.group.description != kind } }
        return page
    }

    func animal(_ id: AnimalID) async throws -> SanctuaryDomain.Animal {
        try Task.checkCancellation()
        try vendor.lifetime.check()
        let number = try id.number()
        async let localized = displayName(number)
        var animal: SanctuaryDomain.Animal = try await vendor.call(of: id.rawValue) { sdk, answer in
            sdk.fetchAnimal(number, language: "en", completion: answer)
        } translate: { [vendor] animal throws(SanctuaryError) in
            try vendor.translate(animal, by: .animal, "animal")
        }
        if let name = try await localized { animal.displayName = name }
        return animal
    }

    /// Returns names in the user's language. This vendor sends one name, canonical or localized, never both.
    private func displayNames(_ kind: String?, _ offset: Int, _ limit: Int) async throws -> [AnimalID: String] {
        guard let language else { return [:] }
        return try await vendor.call { sdk, answer in
            sdk.fetchAnimals(ofKind: kind, offset: offset, limit: limit, language: language) {
                @Sendable animals, _, error in answer(animals, error)
            }
        } translate: { animals in
            Dictionary(animals.map { (AnimalID($0.id), $0.name) }) { first, _ in first }
        }
    }

    private func displayName(_ number: Int) async throws -> String? {
        guard let language else { return nil }
        return try await vendor.call { sdk, answer in
            sdk.fetchAnimal(number, language: language, completion: answer)
        } translate: { animal in
            animal.name
        }
    }
}
#endif
