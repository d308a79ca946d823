public import Cofferdam  // coverage is told from tables of operations

/// Which families of rules judge which operations of a port, and why the others do not.
///
/// ```swift
/// let coverage = ContractCoverage(
///     operations: [.init(NotesOperations.notes), .init(NotesOperations.add), .init(NotesOperations.events)],
///     gaps: [CoverageGap("add", in: ["TIME"], because: "it only writes to the disk")]
/// )
/// ```
///
/// What follows from the table of operations needs no words: STRM is for streams, LIST for what is read by pages, MUT
/// for what changes something. Any other empty cell needs a reason, and a reason for a cell that has rules is a
/// problem too, so that no reason outlives its gap.
public struct ContractCoverage: Sendable {
    let operations: [CoveredOperation]
    let gaps: [CoverageGap]

    /// Describes a port's operations, and why some families say nothing about some of them.
    public init(operations: [CoveredOperation], gaps: [CoverageGap] = []) {
        self.operations = operations
        self.gaps = gaps
    }
}

/// A reason why no rule of a family judges an operation.
public struct CoverageGap: Sendable, Hashable {
    let operations: [String]
    let families: [String]
    let reason: String

    /// Gives the reason for some empty cells.
    ///
    /// - Parameters:
    ///   - families: the families' names: "TIME".
    ///   - reason: in a few words, as a report shows it: "it asks no vendor".
    public init(_ operations: String..., in families: [String], because reason: String) {
        self.operations = operations
        self.families = families
        self.reason = reason
    }
}

/// An operation of a port's table, with the reasons for gaps that follow from it.
public struct CoveredOperation: Sendable {
    let name: String
    let rows: Set<String>
    /// By family.
    let evident: [String: String]

    /// Describes an operation that answers.
    ///
    /// - Parameter others: other names that rules use for the operation.
    public init<Port: Sendable, Input: Sendable, Output: Sendable>(
        _ operation: PortOperation<Port, Input, Output>,
        alsoCalled others: String...
    ) {
        var evident = ["STRM": "it is no stream"]
        if operation.paging == nil { evident["LIST"] = "it is not read by pages" }
        if operation.paging != nil { evident["GET"] = "it is read by pages" }
        if Output.self == Void.self { evident["VALUE"] = "it returns nothing" }
        if operation.traits.isReading {
            evident["MUT"] = "it changes nothing"
            evident["WAIT"] = "it changes nothing"
        } else {
            evident["GET"] = "it changes something"
        }
        if operation.traits.ownership == .shared { evident["AUTH"] = "it is the same for every user" }
        (name, rows, self.evident) = (operation.name, Set(others + [operation.name]), evident)
    }

    /// Describes a stream.
    public init<Port: Sendable, Input: Sendable, Element: Sendable>(
        _ stream: StreamingOperation<Port, Input, Element>,
        alsoCalled others: String...
    ) {
        var evident = Dictionary(
            uniqueKeysWithValues: ["LIST", "GET", "MUT", "BIN", "CANC", "TIME", "LIFE", "WAIT"].map {
                ($0, "it is a stream")
            }
        )
        if stream.traits.ownership == .shared { evident["AUTH"] = "it is the same for every user" }
        (name, rows, self.evident) = (stream.name, Set(others + [stream.name]), evident)
    }

    /// An operation that only its rules name.
    init(named name: String) { (self.name, rows, evident) = (name, [name], [:]) }
}

/// The table of operations and families.
package struct CoverageTable: Sendable, Hashable, Codable {
    package var families: [String]
    package var rows: [Row]
    /// Empty cells without a reason, and reasons without an empty cell; empty for a contract whose operations are
    /// not described.
    package var problems: [String]

    package struct Row: Sendable, Hashable, Codable {
        package var operation: String
        /// One for each family.
        package var cells: [Cell]
    }

    package struct Cell: Sendable, Hashable, Codable {
        /// How many rules of the family judge the operation.
        package var rules: Int
        /// Why there are none; nil if there are some, or no reason is given.
        package var reason: String?
    }

    /// - Parameter coverage: nil if the port's operations are not described; those that rules name are shown then.
    package init<Subject>(_ coverage: ContractCoverage?, of rules: [Rule<Subject>]) {
        let own = rules.filter { $0.id.namespace == nil && !["KIT", "TAPE"].contains($0.id.family) }
        let families = own.map(\.id.family).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let named = own.compactMap(Self.operation).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let operations = coverage?.operations ?? named.map { CoveredOperation(named: $0) }
        let gaps = coverage?.gaps ?? []
        var problems: [String] = []
        var rows: [Row] = []
        for operation in operations {
            let about = own.filter { Self.operation($0).map(operation.rows.contains) ?? false }
            let cells = families.map { family in
                let members = about.filter { $0.id.family == family }
                let count = Set(members.filter { $0.inapplicability == nil }.map(\.id)).count
                let said = gaps.first { $0.operations.contains(operation.name) && $0.families.contains(family) }?.reason
                guard count == 0 else {
                    if said != nil {
                        problems.append("\(operation.name) has rules of \(family), and a reason for none")
                    }
                    return Cell(rules: count)
                }
                let reason = said ?? members.first?.inapplicability ?? operation.evident[family]
                if reason == nil { problems.append("\(operation.name) has no rule of \(family), and no reason for it") }
                return Cell(rules: 0, reason: reason)
            }
            rows.append(Row(operation: operation.name, cells: cells))
        }
        let known = Set(operations.map(\.name))
        for gap in gaps {
            problems += gap.operations.filter { !known.contains($0) }.map {
                "a reason names the unknown operation \($0)"
            }
            problems += gap.families.filter { !families.contains($0) }.map { "a reason names the unknown family \($0)" }
        }
        self.init(families: families, rows: rows, problems: coverage == nil ? [] : problems)
    }

    private init(families: [String], rows: [Row], problems: [String]) {
        self.families = families
        self.rows = rows
        self.problems = problems
    }

    /// The operation of a rule: "animals" also for "animals.name".
    private static func operation<Subject>(_ rule: Rule<Subject>) -> String? {
        rule.operation.map { String($0.prefix { $0 != "." }) }
    }
}
