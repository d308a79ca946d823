import Cofferdam
import CofferdamSupport

/// The result of a check of the wall.
package struct WallReport: Sendable, Codable, Hashable {
    /// The numbers of targets and files that were checked, and of their imports.
    package var targets = 0
    package var files = 0
    package var imports = 0
    package var violations: [WallViolation] = []

    /// Whether there is no violation.
    package var holds: Bool { violations.isEmpty }

    private enum CodingKeys: String, CodingKey { case holds, targets, files, imports, violations }

    package init() {}

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        targets = try container.decode(Int.self, forKey: .targets)
        files = try container.decode(Int.self, forKey: .files)
        imports = try container.decode(Int.self, forKey: .imports)
        violations = try container.decode([WallViolation].self, forKey: .violations)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(holds, forKey: .holds)
        try container.encode(targets, forKey: .targets)
        try container.encode(files, forKey: .files)
        try container.encode(imports, forKey: .imports)
        try container.encode(violations, forKey: .violations)
    }

    /// A line for each violation, or one that says what was checked.
    package var text: String {
        guard holds else { return violations.map { $0.description.escapedForTerminal + "\n" }.joined() }
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        let files = count(files, "file")
        return "The wall holds: \(count(imports, "import")) in \(files) of \(count(targets, "target")).\n"
    }
}

/// One place where the wall is broken, or where its table is wrong.
package struct WallViolation: Sendable, Codable, Hashable, CustomStringConvertible {
    package var path: String
    /// The line, from 1; nil if unknown.
    package var line: Int?
    package var target: String?
    package var module: String?
    package var text: String

    package var description: String { "\(path):\(line.map { "\($0):" } ?? "") \(text)" }
}
