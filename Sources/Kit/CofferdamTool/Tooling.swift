public import CofferdamContracts  // a description names rules and adapters

/// What a team's tool works on: the rules of its ports, its adapters, and a rehearsal of the whole way.
public struct Tooling: Sendable {
    /// The rules, in the order in which the matrix shows them.
    public let rules: [RuleSummary]
    /// The adapters' names, in the order of the matrix's columns.
    public let adapters: [String]

    let runContracts: @Sendable (ContractSelection, _ digest: (String) -> String, ToolProgress) async -> ContractReport
    let rehearse: Rehearsal?
    let drift: DriftTooling?
    let close: @Sendable () async -> Void

    /// Goes the whole way once with every adapter, and says what it saw; the tool itself holds the adapters against the
    /// contract then, and adds that to the report. An error that it throws is one of the rehearsal itself; what an
    /// adapter does wrong belongs into the report.
    public typealias Rehearsal = @Sendable (_ progress: ToolProgress) async throws -> RehearsalReport

    /// - Parameters:
    ///   - rehearsal: nil where there is none; the tool has no `rehearse` to offer then.
    ///   - drift: nil where there are no two sides; the tool has no `drift` to offer then.
    ///   - close: frees what the adapters stand on, once, at the end of the command.
    public init<Subject: Sendable>(
        rules: [Rule<Subject>],
        adapters: [AdapterUnderTest<Subject>],
        rehearsal: Rehearsal? = nil,
        drift: DriftTooling? = nil,
        close: @escaping @Sendable () async -> Void = {}
    ) {
        self.rules = rules.map { RuleSummary(id: $0.id, title: $0.title) }
        self.adapters = adapters.map(\.name)
        self.rehearse = rehearsal
        self.drift = drift
        self.close = close
        runContracts = { selection, digest, progress in
            let runner = ContractRunner(
                rules: rules.filter { selection.rules.contains($0.id) },
                adapters: adapters.filter { selection.adapters.contains($0.name) }
            )
            let total = runner.declared.count
            var done = 0
            var report = await runner.run { row in
                done += 1
                progress.show("\(done) of \(total): \(row.rule) on \(row.adapter): \(row.outcome.rawValue)")
            }
            // Of the whole contract, whatever part of it was run.
            report.digest = digest(contractText(of: rules))
            return report
        }
    }
}

/// What people need to know of a rule.
public struct RuleSummary: Sendable, Hashable {
    public let id: RuleID
    public let title: String
}

/// Tells whoever waits how far the work is.
public struct ToolProgress: Sendable {
    private let body: @Sendable (String) -> Void

    public init(_ body: @escaping @Sendable (String) -> Void) { self.body = body }

    public func show(_ text: String) { body(text) }
}
