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

    let answer: @Sendable (Question) async throws -> CountedEvidence

    /// - Parameter answer: asked by every command that shows or decides something, and by no other.
    public init(_ answer: @escaping @Sendable (Question) async throws -> CountedEvidence) { self.answer = answer }

    /// What was noted while it was counted.
    public static func log(_ log: any EvidenceLog) -> UpgradeEvidence {
        UpgradeEvidence { question in
            let state = question.state
            return CountedEvidence(
                try await log.snapshots(of: state.capability, epoch: state.epoch, last: question.last)
            )
        }
    }

    /// None, and why.
    public static func none(_ reason: String) -> UpgradeEvidence {
        UpgradeEvidence { _ in CountedEvidence([], gaps: [reason]) }
    }
}

/// What was counted in an epoch.
public struct CountedEvidence: Sendable, Hashable {
    /// How it grew, the oldest first: the last one is decided from.
    public var snapshots: [EvidenceSnapshot]
    /// What is missing in the last one and why, for people; empty if nothing is.
    public var gaps: [String]

    public init(_ snapshots: [EvidenceSnapshot], gaps: [String] = []) {
        self.snapshots = snapshots
        self.gaps = gaps
    }
}
