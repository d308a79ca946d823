public import CofferdamContracts  // its rules and adapters
public import CofferdamRehearsal  // its rehearsals

/// What a team's tool works on: the rules of its ports, its adapters, and a rehearsal of the whole upgrade.
public struct Tooling: Sendable {
    /// The rules, in the order in which the matrix shows them.
    let rules: [RuleDescription]
    let coverage: CoverageTable
    /// The adapters, in the order of the matrix's columns.
    var adapters: [AdapterDescription]
    /// Which adapter is to replace which; nil unless there are two live adapters.
    var upgrade: UpgradePath?

    let contractText: String
    let fixtures: ContractFixtures?
    let runContracts: @Sendable (ContractSelection, ContractOptions, ToolProgress) async -> ContractReport
    /// Runs the cases that another process asks for.
    let serveContracts:
        @Sendable (AsyncStream<ContractReport.Case>, ContractOptions, (ContractReport.Row) async -> Void) async -> Void
    /// The mutants, which show that the rules can fail; nil if there are none.
    let mutants: MutantTooling?
    let rehearse: Rehearsal?
    let scenarios: ScenarioRunner?
    let console: RehearsalConsole?
    let drift: DriftTooling?
    let tapes: TapeRunner?
    let upgrades: UpgradeTooling?
    let publisher: ReportPublisher?
    let close: @Sendable () async -> Void

    /// Runs the app's main calls once with every adapter, and reports the results. The tool itself then checks the
    /// adapters against the contract and adds that to the report. It throws only errors of the rehearsal itself; what
    /// an adapter does wrong belongs in the report.
    public typealias Rehearsal = @Sendable (_ progress: ToolProgress) async throws -> RehearsalReport

    /// - Parameters:
    ///   - mutants: show that the rules can fail.
    ///   - coverage: the ports' operations, and why some families of rules say nothing about some of them; nil for the
    ///     operations that the rules name.
    ///   - mutated: the name of the adapter that the mutants decorate; by default the first fake, or else the first
    ///     adapter.
    ///   - deviations: the known deviations from the contract.
    ///   - fixtures: the data with which the adapters are seeded; without it every verdict is at most `unknown`.
    ///   - upgrade: by default from the first live adapter to the second.
    ///   - rehearsal: nil if there is none; `rehearse` is then unavailable.
    ///   - scenarios: the upgrade that `rehearse` walks under traffic; nil if there is none.
    ///   - console: `.controlPlane` of `CofferdamServer`; nil if there is no server, and `console` is then unavailable.
    ///   - drift: nil unless there are two sides; `drift` is then unavailable.
    ///   - tapes: nil if there are no calls to record; `tapes` is then unavailable.
    ///   - upgrades: nil if there is no upgrade; `upgrade` is then unavailable.
    ///   - publisher: nil if there is no control plane; `--publish` is then unavailable.
    ///   - close: frees the adapters' resources; called once, at the end of the command.
    public init<Subject: Sendable>(
        rules: [Rule<Subject>],
        adapters: [AdapterUnderTest<Subject>],
        mutants: [Mutant<Subject>] = [],
        coverage: ContractCoverage? = nil,
        mutated: String? = nil,
        deviations: [KnownDeviation] = [],
        fixtures: ContractFixtures? = nil,
        upgrade: UpgradePath? = nil,
        rehearsal: Rehearsal? = nil,
        scenarios: ScenarioRunner? = nil,
        console: RehearsalConsole? = nil,
        drift: DriftTooling? = nil,
        tapes: TapeTooling<Subject>? = nil,
        upgrades: UpgradeTooling? = nil,
        publisher: ReportPublisher? = nil,
        close: @escaping @Sendable () async -> Void = {}
    ) {
        self.rules = RuleDescription.all(of: rules)
        self.coverage = CoverageTable(coverage, of: rules)
        self.adapters = adapters.map(AdapterDescription.init)
        self.upgrade = upgrade ?? UpgradePath(among: self.adapters)
        self.fixtures = fixtures
        self.rehearse = rehearsal
        self.scenarios = scenarios
        self.console = console
        self.drift = drift
        self.tapes = tapes.map { TapeRunner($0, adapters: adapters) }
        self.upgrades = upgrades
        self.publisher = publisher
        self.close = close
        contractText = CofferdamContracts.contractText(of: rules)
        self.mutants = MutantTooling(rules: rules, mutants: mutants, adapters: adapters, mutated: mutated)
        @Sendable func runner(_ options: ContractOptions) -> ContractRunner<Subject> {
            ContractRunner(
                rules: rules,
                adapters: options.elsewhere.reduce(into: adapters) { adapters, other in
                    adapters.put(AdapterUnderTest(elsewhere: other.description)) { $0.name == other.description.name }
                },
                deviations: deviations,
                triesUndeclared: options.triesUndeclared,
                isolation: options.isolation,
                failsFast: options.failsFast,
                patience: options.patience
            )
            .running(options.elsewhere)
        }
        serveContracts = { requests, options, answer in await runner(options).serve(requests, answer) }
        runContracts = { [contractText] selection, options, progress in
            let runner = runner(options)
            let part = runner.declared.filter {
                selection.includes($0)
            }
            var begun = 0
            var report = await runner.run(part) { row in
                if options.reportedRows.includes(row.outcome.isFailure) { progress.tell(row.line) }
            } onBegin: { id in
                begun += 1
                progress.show("\(begun) of \(part.count): \(id)")
            }
            // The digest of the whole contract, whatever part of it was run.
            report.digest = options.digest(contractText)
            report.stamp = options.stamp
            if report.stop == nil, let fixtures {
                do {
                    report.stamp?.fixtures = options.digest(try await fixtures.text())
                } catch {
                    report.findings.append("the fixtures could not be read: \(error)")
                }
            }
            report.certify(after: options.certifications)
            return report
        }
    }
}
