public import CofferdamUpgrade  // evidence is the kit's value

/// Where it is read what was counted of upgrades, for those who look at them.
public struct UpgradeEvidence: Sendable {
    /// What is asked.
    public struct Question: Sendable, Hashable {
        /// Of whose epoch.
        public var state: UpgradeState
        /// Milliseconds since 1970.
        public var now: Int64
        /// How many snapshots at most.
        public var last: Int

        /// For how long the epoch lasts.
        public var seconds: Int { Int(clamping: WallTime.since(state.since, at: now / 1_000)) }
    }

    /// Reads what the legacy side did until now, of a state at `legacyOnly`; `minimum` calls of it are enough.
    public typealias BaselineReader =
        @Sendable (_ question: Question, _ minimum: Int) async throws -> CountedBaseline

    let answer: @Sendable (Question) async throws -> CountedEvidence
    let baseline: BaselineReader

    /// - Parameters:
    ///   - answer: asked by every command that shows or decides something, and by no other.
    ///   - baseline: asked by the step that ends `legacyOnly`, which is taken whatever comes of it; by default there is none.
    public init(
        _ answer: @escaping @Sendable (Question) async throws -> CountedEvidence,
        baseline: @escaping BaselineReader = { _, _ in CountedBaseline(nil) }
    ) {
        self.answer = answer
        self.baseline = baseline
    }

    /// What was noted while it was counted.
    ///
    /// - Parameter counted: where the legacy side's own counts are kept; nil where they cannot be read.
    public static func log(_ log: any EvidenceLog, counted: (any EvidenceStore)? = nil) -> UpgradeEvidence {
        UpgradeEvidence { question in
            let state = question.state
            return CountedEvidence(
                try await log.snapshots(of: state.capability, epoch: state.epoch, last: question.last)
            )
        } baseline: { question, minimum in
            let saved = try await counted?.saved(of: question.state.capability, under: .baseline)
            return CountedBaseline(saved?.baseline(minimum: minimum))
        }
    }

    /// None, and why.
    public static func none(_ reason: String) -> UpgradeEvidence {
        UpgradeEvidence { _ in
            CountedEvidence([], gaps: [reason])
        } baseline: { _, _ in
            CountedBaseline(nil, gaps: [reason])
        }
    }
}

/// What the legacy side did, for the step that ends `legacyOnly`.
public struct CountedBaseline: Sendable, Hashable {
    var baseline: LegacyBaseline?
    var gaps: [String]

    /// Holds a baseline, nil before it is counted, and the reasons why it is incomplete.
    ///
    /// - Parameters:
    ///   - baseline: the baseline; nil while too little is known.
    ///   - gaps: why it is not known, for people; empty if it is, or without an explanation.
    public init(_ baseline: LegacyBaseline?, gaps: [String] = []) {
        self.baseline = baseline
        self.gaps = gaps
    }
}

/// What was counted in an epoch.
public struct CountedEvidence: Sendable, Hashable {
    /// How it grew, the oldest first: the last one is decided from.
    package var snapshots: [EvidenceSnapshot]
    var gaps: [String]

    /// Holds the counted snapshots, and the reasons why they are incomplete.
    ///
    /// - Parameters:
    ///   - snapshots: the evidence as it grew, oldest first; decisions use the last one.
    ///   - gaps: what the last one lacks and why, for people; empty if it is complete.
    public init(_ snapshots: [EvidenceSnapshot], gaps: [String] = []) {
        self.snapshots = snapshots
        self.gaps = gaps
    }
}
