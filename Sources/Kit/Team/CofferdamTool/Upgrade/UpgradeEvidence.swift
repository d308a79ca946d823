public import CofferdamUpgrade  // its evidence

/// Reads the evidence of upgrades, for commands that show them or decide on them.
public struct UpgradeEvidence: Sendable {
    /// A request for evidence.
    public struct Question: Sendable, Hashable {
        /// The state whose epoch to read.
        public var state: UpgradeState
        /// The time in milliseconds since 1970.
        public var now: Int64
        /// The maximum number of snapshots.
        public var last: Int

        /// How long the epoch has lasted, in seconds.
        public var seconds: Int { Int(clamping: WallTime.since(state.since, at: now / 1_000)) }
    }

    /// Reads the legacy side's baseline so far, for a state at `legacyOnly`; `minimum` is the required number of its
    /// calls.
    public typealias BaselineReader =
        @Sendable (_ question: Question, _ minimum: Int) async throws -> CountedBaseline

    let answer: @Sendable (Question) async throws -> CountedEvidence
    let baseline: BaselineReader

    /// - Parameters:
    ///   - answer: reads the evidence. Only commands that show or decide something call it.
    ///   - baseline: reads the baseline for the step that ends `legacyOnly`; returns none by default, and then a person must
    ///     take that step despite the gate.
    public init(
        _ answer: @escaping @Sendable (Question) async throws -> CountedEvidence,
        baseline: @escaping BaselineReader = { _, _ in CountedBaseline(nil) }
    ) {
        self.answer = answer
        self.baseline = baseline
    }

    /// Evidence from a log of snapshots.
    ///
    /// - Parameter counted: the ledger with the legacy side's counts; nil if they cannot be read.
    public static func log(_ log: any EvidenceLog, counted: (any EvidenceLedger)? = nil) -> UpgradeEvidence {
        UpgradeEvidence { question in
            let state = question.state
            return CountedEvidence(
                try await log.snapshots(of: state.capability, epoch: state.epoch, last: question.last)
            )
        } baseline: { question, minimum in
            let counts = try await counted?.counts(of: question.state.capability, under: .baseline)
            return CountedBaseline(counts?.baseline(minimum: minimum))
        }
    }

    /// No evidence, with the reason.
    public static func none(_ reason: String) -> UpgradeEvidence {
        UpgradeEvidence { _ in
            CountedEvidence([], gaps: [reason])
        } baseline: { _, _ in
            CountedBaseline(nil, gaps: [reason])
        }
    }
}

/// The baseline of the legacy side, for the step that ends `legacyOnly`.
public struct CountedBaseline: Sendable, Hashable {
    var baseline: LegacyBaseline?
    var gaps: [String]

    /// Creates a value from a baseline and the reasons why it is missing.
    ///
    /// - Parameters:
    ///   - baseline: the baseline; nil while too little is known.
    ///   - gaps: why it is unknown, for people; empty if it is known or there is no explanation.
    public init(_ baseline: LegacyBaseline?, gaps: [String] = []) {
        self.baseline = baseline
        self.gaps = gaps
    }
}

/// The evidence counted in an epoch.
public struct CountedEvidence: Sendable, Hashable {
    /// The evidence as it grew, oldest first. Decisions use the last snapshot.
    package var snapshots: [EvidenceSnapshot]
    var gaps: [String]

    /// Creates a value from the snapshots and the reasons why they are incomplete.
    ///
    /// - Parameters:
    ///   - snapshots: the evidence as it grew, oldest first; decisions use the last one.
    ///   - gaps: what the last one lacks and why, for people; empty if it is complete.
    public init(_ snapshots: [EvidenceSnapshot], gaps: [String] = []) {
        self.snapshots = snapshots
        self.gaps = gaps
    }
}
