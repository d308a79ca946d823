import ArgumentParser
import SanctuaryDomain

/// Which animals a list is to hold.
enum Kind: String, CaseIterable, ExpressibleByArgument {
    case mythological, regular, all
}

/// Whole lists, walked page by page.
enum Lists {
    static func animals(of services: SanctuaryServices, kind: Kind, find: String?) async throws -> [Animal] {
        let animals = try await all { try await services.catalogue.animals($0) }
        guard let find = find?.lowercased() else { return animals }
        return animals.filter { $0.name.lowercased().contains(find) || $0.displayName.lowercased().contains(find) }
    }

    static func orders(of services: SanctuaryServices) async throws -> [Order] {
        try await all { try await services.orders.orders($0) }
    }

    static func messages(of services: SanctuaryServices) async throws -> [Message] {
        try await all { try await services.messages.messages($0) }
    }

    private static func all<Item: Sendable>(_ page: (PageRequest) async throws -> Page<Item>) async throws -> [Item] {
        var items: [Item] = []
        var cursor: Cursor?
        repeat {
            let next = try await page(PageRequest(cursor: cursor))
            items += next.items
            cursor = next.next
        } while cursor != nil
        return items
    }
}
