#if Server
import CofferdamUpgrade
import Foundation
import GRDB

/// A message for receivers with its number: an entry of the audit log, or a notice.
struct NumberedNews: Sendable, Hashable {
    enum News: Sendable, Hashable {
        case entry(AuditEntry)
        case breaker(BreakerNotice)
    }

    var number: Int64
    var news: News
}

extension SQLiteUpgradeLog {
    /// The entries of the audit log and the notices that a receiver has not received yet, oldest first. At its
    /// first call, everything until then counts as received.
    func news(for receiver: String, limit: Int) async throws -> [NumberedNews] {
        try await jobs.run { [self] in
            try writing { database in
                let name = Self.key(receiver)
                try database.execute(
                    sql: """
                        INSERT INTO receiver (name, number) VALUES (?, coalesce((SELECT max(number) FROM entry), 0))
                        ON CONFLICT DO NOTHING
                        """,
                    arguments: [name]
                )
                return try Row.fetchAll(
                    database,
                    sql: """
                        SELECT number, isNotice, bytes FROM entry
                        WHERE number > (SELECT number FROM receiver WHERE name = ?) ORDER BY number LIMIT ?
                        """,
                    arguments: [name, max(0, limit)]
                ).map { row in
                    let isNotice: Bool = row[1]
                    return NumberedNews(
                        number: row[0],
                        news: isNotice
                            ? .breaker(try decode(BreakerNotice.self, row[2]))
                            : .entry(try decode(AuditEntry.self, row[2]))
                    )
                }
            }
        }
    }

    /// Notes that the receiver has received everything up to that number.
    func noteReceived(_ number: Int64, by receiver: String) async throws {
        try await jobs.run { [self] in
            try writing { database in
                try database.execute(
                    sql: "UPDATE receiver SET number = max(number, ?) WHERE name = ?",
                    arguments: [number, Self.key(receiver)]
                )
            }
        }
    }
}
#endif
