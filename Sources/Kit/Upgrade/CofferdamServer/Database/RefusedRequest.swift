#if Server
import CofferdamUpgrade
import Foundation
import GRDB

/// A request that a server refused, for its audit log. It holds no secret.
struct RefusedRequest: Sendable, Hashable, Codable {
    /// In milliseconds since 1970.
    var at: Int64
    /// The name of the token, or nil without a valid one.
    var by: String?
    /// The address that it came from.
    var address: String
    /// What was asked for: "POST /v1/capabilities/orders/kill".
    var request: String
    var status: Int
    /// The kind of the refusal, and why, for people.
    var code: String
    var message: String
}

extension SQLiteUpgradeLog {
    /// Adds refused requests; the oldest are removed if there are more than `limit`.
    func add(_ refused: [RefusedRequest], keeping limit: Int) async throws {
        try await jobs.run { [self] in
            try writing { database in
                let encoder = JSONEncoder.ofUpgrades(isForPeople: false)
                for request in refused {
                    try database.execute(
                        sql: "INSERT INTO refusal (at, bytes) VALUES (?, ?)",
                        arguments: [request.at, try encoder.encode(request)]
                    )
                }
                try database.execute(
                    sql: "DELETE FROM refusal WHERE number <= (SELECT max(number) FROM refusal) - ?",
                    arguments: [limit]
                )
            }
        }
    }

    /// The last refused requests, newest first.
    func refusals(last count: Int) async throws -> [RefusedRequest] {
        try await jobs.run { [self] in
            try reading { database in
                try Data.fetchAll(
                    database,
                    sql: "SELECT bytes FROM refusal ORDER BY number DESC LIMIT ?",
                    arguments: [max(0, count)]
                ).map { try decode(RefusedRequest.self, $0) }
            }
        }
    }
}
#endif
