#if Sandbox
import MenagerieV2
import SanctuaryDomain

extension Connection {
    /// The maximum number of ids in one request.
    private static let batch = 200

    /// Returns the vendor's id of an animal; the vendor is asked at most once for each.
    ///
    /// - Throws: `notFound` for an id that the vendor does not know.
    func vendorID(of id: AnimalID) async throws -> String {
        switch ids.way(from: id) {
        case .known(let uuid): return uuid
        case .none: throw SanctuaryError(.notFound, "no animal has such an id", subject: id.rawValue)
        case .legacy(let legacy):
            let pairs = try await ask { client in try await client.identifiers(ofLegacy: [legacy]) }
            try ids.record(pairs.map { ($0.legacyId, $0.id) })
            guard case .known(let uuid) = ids.way(from: id) else {
                throw SanctuaryError(.notFound, "no animal has such an id", subject: id.rawValue)
            }
            return uuid
        }
    }

    /// Learns the domain's ids of these animals, in as few requests as the vendor allows.
    func learnIDs(of animals: [MenagerieV2.Animal]) async throws {
        var unknown = ids.unknown(among: animals.map(\.id))[...]
        while !unknown.isEmpty {
            let asked = Array(unknown.prefix(Self.batch))
            unknown = unknown.dropFirst(Self.batch)
            let pairs = try await ask { client in try await client.identifiers(of: asked) }
            try ids.record(pairs.map { ($0.legacyId, $0.id) }, asked: asked)
        }
    }
}
#endif
