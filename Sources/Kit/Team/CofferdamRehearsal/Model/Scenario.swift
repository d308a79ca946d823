public import CofferdamUpgrade  // its stages and metrics

/// A fault to inject into a rehearsal, and the outcome that it must have.
public struct Scenario: Sendable, Hashable {
    /// The name, as `--scenario` takes it.
    public var name: String
    /// One sentence for reports.
    package var summary: String
    var faulty: Set<RehearsedInstance>
    var fault: ScenarioFault?
    var since: Stage.Kind
    /// Whether the service is so close that a call takes no simulated network time.
    package var isNear: Bool
    package var expected: Expectation

    /// How a scenario must end.
    public struct Expectation: Sendable, Hashable {
        package var outcome: ScenarioOutcome
        var metric: Metric?
        /// The losses that are acceptable; any other fails the rehearsal.
        package var losses: Set<Loss.Kind>

        /// Creates an expectation: an outcome, the metric that decides it, and the acceptable kinds of losses.
        ///
        /// - Parameters:
        ///   - metric: the metric by which the gate must decide; nil for any.
        ///   - losses: the losses that are acceptable; any other fails the rehearsal.
        public init(_ outcome: ScenarioOutcome, by metric: Metric? = nil, losing losses: Set<Loss.Kind> = []) {
            self.outcome = outcome
            self.metric = metric
            self.losses = losses
        }
    }

    /// Creates a scenario in which the instances in `faulty` have `fault` from the stage `since` on.
    ///
    /// - Parameters:
    ///   - summary: one sentence for reports.
    ///   - faulty: the instances that have the fault.
    ///   - since: the first stage at which the fault occurs.
    ///   - isNear: whether the service is so close that a call takes no simulated network time.
    public init(
        _ name: String,
        _ summary: String,
        in faulty: Set<RehearsedInstance> = [],
        _ fault: ScenarioFault? = nil,
        since: Stage.Kind = .shadow,
        isNear: Bool = false,
        expected: Expectation
    ) {
        self.name = name
        self.summary = summary
        self.faulty = faulty
        self.fault = fault
        self.since = since
        self.isNear = isNear
        self.expected = expected
    }
}

extension Scenario {
    /// Checks that the gate can tell the fault from a good SDK.
    ///
    /// - Throws: `TrafficProblem` for a limit that tolerates the fault, at which no gate would roll back.
    package func check(limit: Double) throws {
        guard let fault, let (highest, what) = fault.tolerated, limit > highest else { return }
        throw TrafficProblem(
            "a limit of \(limit) tolerates an SDK that \(what), as in scenario \(name); use \(highest) or less"
        )
    }

    /// The options as this scenario requires them.
    func options(_ options: ScenarioOptions) -> ScenarioOptions {
        var options = options
        // Users of a side that hangs leave soon, so that the walk goes on.
        if case .hanging = fault { options.patience = min(options.patience, Self.patienceWithHanging) }
        guard isNear else { return options }
        options.roundTrip = .zero
        // Calls that compete for the processor would not be fast.
        options.inFlight = min(options.inFlight, Self.maxInFlightNear)
        return options
    }

    private static let patienceWithHanging = Duration.seconds(5)
    private static let maxInFlightNear = 4
}

extension ScenarioFault {
    /// The highest limit at which a gate can tell the fault from a good SDK, and the fault in words; nil if there is none.
    fileprivate var tolerated: (limit: Double, what: String)? {
        switch self {
        case .wrong(let share): (2 * share, "is wrong in \(share) of the reads")
        // With the default mix, one or two of ten units write.
        case .failingLater(let units): (units / 10, "loses a write of \(units) of the units")
        case .hanging(let units): (units / 2, "hangs for \(units) of the units")
        case .answering: (0.1, "refuses all writes")
        case .slow, .crashing, .refusing, .refusingInTurns, .openingLate, .breakingLater: nil
        }
    }

    /// The number of visits after which the app relaunches; nil if it does not.
    var restartsAfter: Int? {
        if case .openingLate(_, let visits) = self { max(1, visits) } else { nil }
    }
}

/// An instance of the services that a rehearsal opens.
public enum RehearsedInstance: String, Sendable, Hashable, CaseIterable {
    case legacy, candidate
    /// The candidate on a copy of the data, as the shadow calls it.
    case shadowCandidate
}

/// The outcome of a walk.
public enum ScenarioOutcome: String, Sendable, Hashable, Codable {
    /// The candidate serves all users alone.
    case arrived
    /// The gate rolled back to `legacyOnly`.
    case rolledBack
    /// The legacy side was down, and the kill switch moved all users to the candidate, which works.
    case rescued
    /// The gate neither promoted nor rolled back within the rehearsal's budget.
    case stuck
}

extension Scenario {
    /// A candidate without faults, which must arrive.
    public static let good = Scenario("good", "the new SDK is as good as the old one", expected: .init(.arrived))

    /// A candidate that returns wrong data to some reads; the gate must roll it back.
    public static let wrong = Scenario(
        "wrong",
        "the new SDK returns different data for one read in twenty",
        in: [.candidate, .shadowCandidate],
        .wrong(share: 0.05),
        expected: .init(.rolledBack, by: .mismatches.includingOpenWindows)
    )

    /// A candidate with a slow tail; the gate must roll it back.
    public static let slow = Scenario(
        "slow",
        "one call in ten is much slower with the new SDK",
        // Users do not wait for the shadow's own calls, so a slow one delays the upgrade and does not roll it back.
        in: [.candidate],
        .slow(share: 0.1, times: 200),
        since: .canary,
        expected: .init(.rolledBack, by: .canarySlow)
    )

    /// A candidate that drops calls and crashes the app.
    public static let crashing = Scenario(
        "crashing",
        "the new SDK drops every call once users depend on it, half of the writes after sending them, and crashes the app",
        in: [.candidate],
        .crashing(calls: 5),
        since: .canary,
        // A stream whose new side ends before the stream has moved there may have missed an item, and says so.
        expected: .init(.rolledBack, losing: [.unknown, .crashed, .broken, .gap])
    )

    /// A candidate that refuses calls in turns.
    public static let flapping = Scenario(
        "flapping",
        "the new SDK alternates between refusing and answering calls, once users depend on it",
        in: [.candidate],
        .refusingInTurns(calls: 40),
        since: .canary,
        // One side cannot continue a walk through a list that the other has begun.
        expected: .init(.rolledBack, losing: [.failed, .broken])
    )

    /// An old SDK that fails altogether, so that the candidate rescues its users.
    public static let legacyDown = Scenario(
        "legacy-down",
        "the old SDK refuses every call, while most users still depend on it",
        in: [.legacy],
        .refusing,
        since: .canary,
        expected: .init(.rescued, losing: [.failed, .broken, .gap])
    )

    /// A candidate that loses a write after other calls succeeded.
    public static let laterOperation = Scenario(
        "later-operation",
        "the new SDK loses one kind of write for three users in ten, after other calls succeeded",
        in: [.candidate],
        .failingLater(units: 0.3),
        since: .canary,
        expected: .init(.rolledBack, losing: [.unknown])
    )

    /// A candidate that rejects every write with a final answer.
    public static let answers = Scenario(
        "answers",
        "the new SDK rejects every write with an error that is an answer, once users depend on it",
        in: [.candidate],
        .answering,
        since: .canary,
        expected: .init(.rolledBack, losing: [.failed])
    )

    /// A candidate that never answers some users.
    public static let hangs = Scenario(
        "hangs",
        "the new SDK never answers one user in ten, once users depend on it",
        in: [.candidate],
        .hanging(units: 0.1),
        since: .canary,
        expected: .init(.rolledBack, losing: [.hung])
    )

    /// A candidate without faults, on a service that is close.
    public static let fast = Scenario(
        "fast",
        "the service is close, and the new SDK as good as the old one",
        isNear: true,
        expected: .init(.arrived)
    )

    /// A candidate that opens slowly after a relaunch.
    public static let lateOpening = Scenario(
        "late-opening",
        "the service is close, the app relaunches often, and the new SDK then opens slowly",
        in: [.candidate, .shadowCandidate],
        .openingLate(by: .milliseconds(300), visits: 250),
        isNear: true,
        expected: .init(.arrived)
    )

    /// A candidate that breaks after the upgrade has arrived and its users were counted; the alarm must send it back.
    public static let breaksLater = Scenario(
        "breaks-later",
        "the upgrade arrives, and an hour later the new SDK refuses every call",
        in: [.candidate],
        .breakingLater,
        since: .candidateOnly,
        expected: .init(.rolledBack, losing: [.failed, .broken, .gap])
    )

    /// Every scenario of the kit, in the order in which `--scenario all` runs them.
    public static let all: [Scenario] = [
        .good, .wrong, .slow, .crashing, .flapping, .legacyDown, .laterOperation, .answers, .hangs, .fast, .lateOpening,
        .breaksLater,
    ]
}
