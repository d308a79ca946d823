public import CofferdamContracts  // its drift reports

/// A known difference between the two sides, and where it is still visible through the adapters.
public struct DriftKnowledge: Sendable, Hashable, Codable {
    var id: String
    var title: String
    /// Where it is still visible; empty if the adapters hide it.
    public var drifts: [KnownDrift]

    /// Collects the differences with one cause.
    ///
    /// - Parameters:
    ///   - id: its name in the team's guide: "D2".
    ///   - title: the difference in a few words.
    public init(id: String, title: String, drifts: [KnownDrift] = []) {
        self.id = id
        self.title = title
        self.drifts = drifts
    }
}

/// What `drift` works with: the known differences, and how to make the calls.
public struct DriftTooling: Sendable {
    /// Makes the same calls through both sides, against the given service, or against one that it starts if that is
    /// nil. It throws only errors of the run itself; what a side does wrong belongs in the report.
    public typealias Run = @Sendable (_ service: String?, _ progress: ToolProgress) async throws -> DriftReport

    let known: [DriftKnowledge]
    let run: Run

    /// Lets the command `drift` compare with `run`, and explain the differences with `known`.
    public init(known: [DriftKnowledge], run: @escaping Run) {
        self.known = known
        self.run = run
    }
}
