// Shows the results of an example's run: swift summary.swift NAME REPORTS SWAP-LINES VENDOR-IMPORTABLE [--json]
//
// REPORTS is a folder with the outputs of the example's tool with --json: contracts, mutants, can-upgrade, drift, and
// the scenarios good and wrong. Exits with 1 unless everything is as it should be.
import Foundation

struct Contracts: Decodable {
    struct Row: Decodable { var outcome: String }
    var rows: [Row]
    var passed: Int { rows.count { $0.outcome == "passed" } }
    var skipped: Int { rows.count { $0.outcome == "skipped" } }
    var failed: Int { rows.count - passed - skipped }
}

struct Mutants: Decodable {
    struct Row: Decodable { var outcome: String }
    var rows: [Row]
    var killed: Int { rows.count { $0.outcome == "killed" } }
    var survived: Int { rows.count { $0.outcome != "killed" && $0.outcome != "skipped" } }
}

struct Verdict: Decodable {
    var verdict: String
    var reasons: [String]
}

struct Drift: Decodable {
    struct Place: Decodable {
        var tier: String
        var id: String?
        var subject: String
        var reason: String?
    }
    var drifts: [Place]

    var differences: [String] {
        drifts.map { "\($0.id ?? $0.tier): \($0.subject)\($0.reason.map { " (\($0))" } ?? "")" }
    }
}

struct Scenario: Decodable { var outcome: String }

struct Summary: Encodable {
    struct Contracts: Encodable { var passed, failed, skipped: Int }
    struct Mutants: Encodable { var killed, survived: Int }
    struct Staged: Encodable { var promoted, rolledBack: Bool }
    var built = true
    var contracts: Contracts
    var mutants: Mutants
    var canUpgrade: String
    var differences: [String]
    var swapLines: Int
    var vendorImportableFromApp: Bool
    var staged: Staged

    var isGood: Bool {
        contracts.failed == 0 && contracts.passed > 0 && mutants.survived == 0 && mutants.killed > 0
            && canUpgrade == "yes" && swapLines == 1 && !vendorImportableFromApp && staged.promoted && staged.rolledBack
    }

    var text: String {
        let rows = [
            ("contracts", "\(contracts.passed) passed, \(contracts.failed) failed, \(contracts.skipped) skipped"),
            ("mutants", "\(mutants.killed) killed, \(mutants.survived) survived"),
            ("can upgrade", canUpgrade),
            ("swap", swapLines == 1 ? "1 line" : "\(swapLines) lines"),
            ("wall", vendorImportableFromApp ? "the app can import the vendor" : "the app cannot import the vendor"),
            ("good V2", staged.promoted ? "promoted" : "not promoted"),
            ("wrong V2", staged.rolledBack ? "rolled back" : "not rolled back"),
        ]
        return rows.map { "\($0.padding(toLength: 13, withPad: " ", startingAt: 0))\($1)" }.joined(separator: "\n")
            + "\n\nDIFFERENCES\n" + (differences.isEmpty ? "none" : differences.joined(separator: "\n"))
    }
}

func fail(_ text: String, _ code: Int32) -> Never {
    FileHandle.standardError.write(Data("summary: \(text)\n".utf8))
    exit(code)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 4 || arguments.count == 5 && arguments[4] == "--json", let swapLines = Int(arguments[2]),
    let vendorImportable = Bool(arguments[3])
else { fail("usage: summary.swift NAME REPORTS SWAP-LINES VENDOR-IMPORTABLE [--json]", 64) }

func report<Report: Decodable>(_ name: String, as type: Report.Type) throws -> Report {
    try JSONDecoder().decode(type, from: Data(contentsOf: URL(filePath: "\(arguments[1])/\(name).json")))
}

do {
    let contracts = try report("contracts", as: Contracts.self)
    let mutants = try report("mutants", as: Mutants.self)
    let summary = Summary(
        contracts: .init(passed: contracts.passed, failed: contracts.failed, skipped: contracts.skipped),
        mutants: .init(killed: mutants.killed, survived: mutants.survived),
        canUpgrade: try report("can-upgrade", as: Verdict.self).verdict,
        differences: try report("drift", as: Drift.self).differences,
        swapLines: swapLines,
        vendorImportableFromApp: vendorImportable,
        staged: .init(
            promoted: try report("good", as: Scenario.self).outcome == "arrived",
            rolledBack: try report("wrong", as: Scenario.self).outcome == "rolledBack"
        )
    )
    if arguments.count == 5 {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(summary), as: UTF8.self))
    } else {
        print("Example \(arguments[0])\n\n\(summary.text)")
    }
    exit(summary.isGood ? 0 : 1)
} catch {
    fail("a report in \(arguments[1]) is missing or unreadable: \(error)", 70)
}
