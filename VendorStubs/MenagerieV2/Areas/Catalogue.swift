#if Sandbox
import CofferdamCurl

extension MenagerieClient {
    /// Fetches a page of all animals, or of those that match the filter, at most 50. A cursor is valid for its filter
    /// only.
    public nonisolated func animals(
        filter: AnimalFilter = AnimalFilter(),
        cursor: String? = nil,
        limit: Int? = nil
    ) async throws(MenagerieError) -> Page<Animal> {
        try await requireConfiguration()
        let query = pageQuery(cursor: cursor, limit: limit) + filter.query
        return try await wire.call(.get("animals", query: query))
    }

    public nonisolated func animal(id: String) async throws(MenagerieError) -> Animal {
        try await requireConfiguration()
        return try await wire.call(.get("animals", id))
    }

    /// Fetches the ids of animals that had an id in version 1; others are left out. At most 200.
    public nonisolated func identifiers(ofLegacy ids: [Int]) async throws(MenagerieError) -> [IdentifierPair] {
        try await requireConfiguration()
        let request = try WireRequest.post("identifiers", "resolve").json(["legacyIds": ids])
        return try await wire.call(request, answer: IdentifierPairs.self).pairs
    }

    /// Fetches the version 1 ids of animals that had one; others are left out. At most 200.
    public nonisolated func identifiers(of ids: [String]) async throws(MenagerieError) -> [IdentifierPair] {
        try await requireConfiguration()
        let request = try WireRequest.post("identifiers", "resolve").json(["ids": ids])
        return try await wire.call(request, answer: IdentifierPairs.self).pairs
    }

    /// Fetches the URL of an animal's image, valid for a quarter of an hour; it differs each time.
    public nonisolated func imageURL(for id: String) async throws(MenagerieError) -> SignedURL {
        try await requireConfiguration()
        return try await wire.call(.get("animals", id, "image"))
    }
}

extension AnimalFilter {
    fileprivate var query: [(name: String, value: String)] { kind.map { [("filter[kind]", $0.rawValue)] } ?? [] }
}

private struct IdentifierPairs: Decodable, Sendable { var pairs: [IdentifierPair] }
#endif
