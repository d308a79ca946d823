public import CofferdamContracts  // drift is told by its reports

/// A difference between the two sides that the team knows, and where it still shows behind the adapters.
public struct DriftKnowledge: Sendable, Hashable, Codable {
    var id: String
    var title: String
    /// Empty where the adapters hide it.
    public var drifts: [KnownDrift]

    /// Collects the differences that have one cause.
    ///
    /// - Parameters:
    ///   - id: its name in the team's guide: "D2".
    ///   - title: what differs, in a few words.
    public init(id: String, title: String, drifts: [KnownDrift] = []) {
        self.id = id
        self.title = title
        self.drifts = drifts
    }
}

/// What `drift` works with: everything that is known, and how the calls are made.
public struct DriftTooling: Sendable {
    /// Makes the same calls through both sides, against that service, or one of its own if there is none. An error that it
    /// throws is one of the run itself; what a side does wrong belongs into the report.
    public typealias Run = @Sendable (_ service: String?, _ progress: ToolProgress) async throws -> DriftReport

    let known: [DriftKnowledge]
    let run: Run

    /// Lets the command `drift` compare by `run`, and explain what it finds by `known`.
    public init(known: [DriftKnowledge], run: @escaping Run) {
        self.known = known
        self.run = run
    }
}
