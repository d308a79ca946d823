public import Cofferdam  // the issues of adapters' translators
public import CofferdamContracts  // its contract report
public import CofferdamUpgrade  // its comparisons

/// The result of running the app's main calls once with each adapter.
public struct RehearsalReport: Sendable, Hashable {
    /// The adapters' runs, in the order of the report's columns: the older adapter first.
    package var adapters: [AdapterRun]
    /// The lists that were read through every adapter and compared.
    package var comparisons: [Comparison]
    /// Translation issues by adapter: vendor values that could not be translated as they were.
    package var issues: [String: [Issue]]
    /// The contract's report, which the tool adds after the rehearsal.
    package var contracts: ContractReport
    /// The scenarios of the upgrade under traffic, which the tool also adds.
    package var scenarios: [ScenarioReport] = []

    /// Creates a report without scenarios.
    ///
    /// - Parameter issues: translation issues by adapter: vendor values that could not be translated as they were.
    public init(
        adapters: [AdapterRun],
        comparisons: [Comparison],
        issues: [String: [Issue]],
        contracts: ContractReport = ContractReport()
    ) {
        self.adapters = adapters
        self.comparisons = comparisons
        self.issues = issues
        self.contracts = contracts
    }

    /// The steps of one adapter.
    public struct AdapterRun: Sendable, Hashable, Codable {
        /// The adapter's name.
        package var name: String
        /// Its steps, in the order in which they ran.
        package var steps: [Step]

        /// Creates a run from its parts.
        public init(name: String, steps: [Step]) {
            self.name = name
            self.steps = steps
        }
    }

    /// One step, such as "sign in".
    public struct Step: Sendable, Hashable, Codable {
        /// The step's name.
        package var name: String
        /// How the step ended.
        package var outcome: Outcome
        /// The result, the error, or the reason for skipping the step.
        package var detail: String
        /// How long the step took.
        var seconds: Double

        /// Creates a step from its parts.
        public init(name: String, outcome: Outcome, detail: String, seconds: Double) {
            self.name = name
            self.outcome = outcome
            self.detail = detail
            self.seconds = seconds
        }

        /// The outcome of a step.
        public enum Outcome: String, Sendable, Hashable, Codable {
            case passed, failed, skipped
        }
    }

    /// One list, as each adapter returned it.
    public struct Comparison: Sendable, Hashable {
        /// The key in JSON: "catalogue".
        package var name: String
        /// What the list counts, which is also the counts' key in JSON: "animals".
        package var unit: String
        /// The number of items that each adapter returned.
        package var counts: [String: Int]
        /// Declared differences.
        package var expected: [Difference]
        /// All other differences.
        package var unexpected: [Difference]

        package init(
            name: String,
            unit: String,
            counts: [String: Int],
            expected: [Difference],
            unexpected: [Difference]
        ) {
            self.name = name
            self.unit = unit
            self.counts = counts
            self.expected = expected
            self.unexpected = unexpected
        }

        /// Creates a comparison from one that `CofferdamUpgrade` made.
        public init(name: String, unit: String, counts: [String: Int], _ comparison: ComparisonReport) {
            self.init(
                name: name,
                unit: unit,
                counts: counts,
                expected: comparison.expected.map { Difference($0.difference, id: $0.id, reason: $0.reason) },
                unexpected: comparison.unexpected.map { Difference($0) }
            )
        }
    }

    /// A field of an item that differs between two adapters.
    package struct Difference: Sendable, Hashable, Codable {
        /// The id of the declaration: "D2".
        package var id: String?
        /// The item.
        package var subject: String
        /// The field.
        package var path: String
        /// The value that the legacy side returned; nil if it lacks the item or field.
        package var legacy: String?
        /// The value that the candidate returned; nil if it lacks the item or field.
        package var candidate: String?
        /// Why the difference is expected; nil if it is not.
        package var reason: String?

        package init(
            id: String? = nil,
            subject: String,
            path: String,
            legacy: String?,
            candidate: String?,
            reason: String? = nil
        ) {
            self.id = id
            self.subject = subject
            self.path = path
            self.legacy = legacy
            self.candidate = candidate
            self.reason = reason
        }

        init(_ difference: Cofferdam.Difference, id: String? = nil, reason: String? = nil) {
            self.init(
                id: id,
                subject: difference.subject,
                path: difference.path,
                legacy: difference.legacy,
                candidate: difference.candidate,
                reason: reason
            )
        }
    }

    /// A translation issue, with the call in which it occurred.
    public struct Issue: Sendable, Hashable, Codable {
        package var operation: String
        package var what: String
        package var path: String
        package var raw: String
        package var severity: String

        /// Creates a report of an issue that an adapter found while translating an answer of `operation`.
        public init(_ issue: TranslationIssue, of operation: String) {
            self.operation = operation
            what = issue.what
            path = issue.path
            raw = issue.raw
            severity = issue.severity.rawValue
        }
    }
}

extension RehearsalReport {
    /// Whether the rehearsal passed: see ``problems``.
    public var isGreen: Bool { problems.isEmpty }

    /// What is wrong: failed steps, unexpected differences, a failing contract, or a rehearsal that showed nothing.
    public var problems: [String] {
        var problems: [String] = []
        for adapter in adapters {
            for step in adapter.steps where step.outcome == .failed {
                problems.append("\(adapter.name): \(step.name) failed: \(step.detail)")
            }
            if !adapter.steps.contains(where: { $0.outcome == .passed }) {
                problems.append("\(adapter.name): no step passed")
            }
        }
        if adapters.isEmpty { problems.append("no adapter was rehearsed") }
        if comparisons.isEmpty { problems.append("nothing was compared") }
        for comparison in comparisons {
            let count = comparison.unexpected.count
            if count > 0 {
                problems.append("\(comparison.name): \(count) unexpected \(count == 1 ? "difference" : "differences")")
            }
            for adapter in adapters where comparison.counts[adapter.name, default: 0] == 0 {
                problems.append("\(comparison.name): \(adapter.name) gave no \(comparison.unit)")
            }
        }
        problems += contractProblems
        problems += scenarios.flatMap { scenario in scenario.problems.map { "\(scenario.scenario): \($0)" } }
        return problems
    }

    /// The first of the contract's failures and problems, and how many more there are.
    private var contractProblems: [String] {
        let problems = contracts.failures.map(\.failure) + contracts.problems
        let shown = problems.prefix(5).map { "the contract fails: \($0)" }
        let more = problems.count - shown.count
        return shown + (more > 0 ? ["the contract has \(more) more \(more == 1 ? "problem" : "problems")"] : [])
    }
}
