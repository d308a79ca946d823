import CofferdamCurl

extension MenagerieClient {
    /// A page of all animals, at most 50.
    public nonisolated func animals(
        cursor: String? = nil,
        limit: Int? = nil
    ) async throws(MenagerieError) -> Page<Animal> {
        try await requireConfiguration()
        return try await wire.call(.get("animals", query: pageQuery(cursor: cursor, limit: limit)))
    }

    public nonisolated func animal(id: String) async throws(MenagerieError) -> Animal {
        try await requireConfiguration()
        return try await wire.call(.get("animals", id))
    }

    /// The ids of animals that had one in version 1; others are left out. At most 200.
    public nonisolated func identifiers(ofLegacy ids: [Int]) async throws(MenagerieError) -> [IdentifierPair] {
        try await requireConfiguration()
        let request = try WireRequest.post("identifiers", "resolve").json(["legacyIds": ids])
        return try await wire.call(request, answer: IdentifierPairs.self).pairs
    }

    /// The version 1 ids of animals that had one; others are left out. At most 200.
    public nonisolated func identifiers(of ids: [String]) async throws(MenagerieError) -> [IdentifierPair] {
        try await requireConfiguration()
        let request = try WireRequest.post("identifiers", "resolve").json(["ids": ids])
        return try await wire.call(request, answer: IdentifierPairs.self).pairs
    }

    /// Where an animal's image is for the next quarter of an hour; another address each time.
    public nonisolated func imageURL(for id: String) async throws(MenagerieError) -> SignedURL {
        try await requireConfiguration()
        return try await wire.call(.get("animals", id, "image"))
    }

}

private struct IdentifierPairs: Decodable, Sendable { var pairs: [IdentifierPair] }
