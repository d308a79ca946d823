#if Sandbox
import Foundation
import Testing

/// The outcome for each part of an installation's state, by the SDK that stored it and what happens then.
enum SurvivalTable {
    /// The outcomes in the order of `Survival.Fate.allCases`.
    struct Row: Equatable {
        let kept: Survival.Kept
        let stored: StoredBy
        let outcomes: [Survival.Outcome]

        init(_ kept: Survival.Kept, _ stored: StoredBy, _ outcomes: [Survival.Outcome]) {
            (self.kept, self.stored, self.outcomes) = (kept, stored, outcomes)
        }
    }

    struct Cell: Sendable, CustomTestStringConvertible {
        let kept: Survival.Kept
        let stored: StoredBy
        let fate: Survival.Fate
        let outcome: Survival.Outcome

        var testDescription: String { "\(kept.rawValue) of \(stored.rawValue), \(fate.rawValue): \(outcome.rawValue)" }
    }

    static let rows = [
        Row(.session, .v10, [.kept, .kept, .kept, .kept]),
        Row(.session, .v19, [.kept, .kept, .kept, .kept]),
        // V2's tokens mean nothing to V1.
        Row(.session, .v2, [.kept, .kept, .kept, .notKnownToV1]),
        Row(.device, .v10, [.kept, .kept, .kept, .kept]),
        Row(.device, .v19, [.kept, .kept, .kept, .kept]),
        Row(.device, .v2, [.kept, .kept, .kept, .kept]),
        Row(.outbox, .v10, [.deliveredOnce, .deliveredOnce, .deliveredOnce, .deliveredOnce]),
        Row(.outbox, .v19, [.deliveredOnce, .deliveredOnce, .deliveredOnce, .deliveredOnce]),
        Row(.outbox, .v2, [.deliveredOnce, .deliveredOnce, .deliveredOnce, .deliveredOnce]),
        Row(.pictures, .v10, [.downloadedOnce, .downloadedOnce, .downloadedOnce, .kept]),
        Row(.pictures, .v19, [.downloadedOnce, .downloadedOnce, .downloadedOnce, .kept]),
        Row(.pictures, .v2, [.kept, .kept, .kept, .downloadedOnce]),
        Row(.accessory, .v10, [.kept, .kept, .kept, .kept]),
        Row(.accessory, .v19, [.kept, .kept, .kept, .kept]),
        Row(.accessory, .v2, [.kept, .kept, .kept, .kept]),
        Row(.favourites, .v10, [.kept, .kept, .kept, .kept]),
        Row(.favourites, .v19, [.kept, .kept, .kept, .kept]),
        Row(.favourites, .v2, [.kept, .kept, .kept, .kept]),
    ]

    static let cells = rows.flatMap { row in
        zip(Survival.Fate.allCases, row.outcomes).map { fate, outcome in
            Cell(kept: row.kept, stored: row.stored, fate: fate, outcome: outcome)
        }
    }

    /// Returns the rows of MIGRATION.md. Text after a semicolon in a cell is an explanation, and ignored.
    static func documented() throws -> [Row] {
        let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let text = try String(contentsOf: root.appending(path: "MIGRATION.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix("What survives") })
        return try section.split(separator: "\n").filter { $0.hasPrefix("|") }.dropFirst(2).flatMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let kept = try #require(cells.first.flatMap(Survival.Kept.init), "no row: \(line)")
            let outcomes = try cells.dropFirst(2).map { cell in
                let word = cell.split(separator: ";").first.map(String.init) ?? ""
                return try #require(Survival.Outcome(rawValue: word), "no outcome: \(cell)")
            }
            return try cells[1].components(separatedBy: ", ").map { stored in
                Row(kept, try #require(StoredBy(rawValue: stored)), outcomes)
            }
        }
    }
}
#endif
