#if Sandbox
import Foundation
import Testing

@Suite("MIGRATION.md says what the tests show")
struct MigrationTests {
    /// The differences that shaped the ports and were there from the start.
    static let required = [
        "D1", "D2", "D3", "D4", "D5", "D6", "D7", "D10", "D11", "D14", "D16", "D17", "D20", "D23",
    ]

    @Test("Every difference in the table has a test of an adapter or of the contract that names it")
    func everyRowIsTested() throws {
        let tested = try Self.testedDifferences()
        let rows = try Self.rows()
        #expect(rows.map(\.id).filter { !tested.contains($0) } == [])
        #expect(rows.filter { !$0.promise.contains("`\($0.id)`") }.map(\.id) == [], "the row does not name its test")
        #expect(Set(rows.map(\.id)).count == rows.count, "a difference has two rows")
    }

    @Test("The differences that shaped the ports have their rows")
    func requiredRows() throws {
        #expect(Set(Self.required).subtracting(try Self.rows().map(\.id)) == [])
    }

    @Test("Every rule that the table names is in the contract")
    func rulesExist() throws {
        let families = try House.swiftFiles(below: ["Sources/Kit/Core/CofferdamContracts/Families"])
        let rules = families.filter { $0.path.contains("Rules") }.flatMap { file in
            file.text.matches(of: /"([A-Z]+-\d+)"/).map { String($0.1) }
        }
        #expect(rules.count > 20)
        let named = try Self.rows().flatMap { $0.promise.matches(of: /[A-Z]+-\d+/).map { String($0.0) } }
        #expect(Set(named).subtracting(rules) == [])
    }

    @Test("Every cell of the mixed fleet and of the rollback names a test that exists")
    func fleetCells() throws {
        let names = try Self.testNames(below: ["Tests/MenagerieV2AdapterTests/Fleet"])
        #expect(names.count > 5)
        let fleet = try Self.table("A mixed fleet").flatMap { $0.dropFirst() }
        let rollback = try Self.table("Rollback on data that V2 wrote").compactMap(\.last)
        for cell in fleet + rollback where !cell.contains("](#") {
            let named = cell.matches(of: /`(D\d[^`]*)`/).map { String($0.1) }
            #expect(!named.isEmpty, "no test: \(cell)")
            #expect(named.filter { name in !names.contains { $0.hasPrefix(name) } } == [])
        }
    }

    /// Returns the cells of a section's table, without its header.
    static func table(_ title: String) throws -> [[String]] {
        let text = try String(contentsOf: House.root.appending(path: "MIGRATION.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix(title) })
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("|") }.dropFirst(2)
        try #require(!rows.isEmpty)
        return rows.map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    static func testNames(below folders: [String]) throws -> [String] {
        try House.swiftFiles(below: folders).flatMap { file in
            file.text.matches(of: /@Test\(\s*"([^"]*)"|func `([^`]*)`/).map { String($0.1 ?? $0.2 ?? "") }
        }
    }

    /// Returns the rows of the table "What changes": each difference with the cell of the port's promise and its tests.
    static func rows() throws -> [(id: String, promise: String)] {
        let text = try String(contentsOf: House.root.appending(path: "MIGRATION.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix("What changes") })
        return section.split(separator: "\n").filter { $0.hasPrefix("| D") }.compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return cells.first.map { ($0, cells.last ?? "") }
        }
    }

    /// Returns the differences named by tests of an adapter or of the contract. A test of the vendor's service shows
    /// that a difference exists, not that it is handled.
    static func testedDifferences() throws -> Set<String> {
        let folders = ["MenagerieV1AdapterTests", "MenagerieV2AdapterTests", "SanctuaryContractsTests"]
        let names = try testNames(below: folders.map { "Tests/\($0)" })
        return Set(names.flatMap { $0.matches(of: /\bD\d+\b/).map { String($0.0) } })
    }
}
#endif
