import Cofferdam

/// What a session has decided by one state of its control: made once, and read by every call that is more than direct.
final class SessionDecision: Sendable {
    let generation: UInt64
    let stage: Stage
    /// By which the unit's calls are routed: a canary's for a named unit that is on the candidate before any share is, and else
    /// ``stage``.
    let route: Stage
    let epoch: Int
    let side: Side
    /// Whether the unit is a named one, and so counts apart.
    let isNamed: Bool
    let sample: UnitSample?
    /// What holds in its place for single operations, by their names.
    private let overrides: [String: SessionDecision]

    init(
        generation: UInt64,
        stage: Stage,
        route: Stage,
        epoch: Int,
        side: Side,
        isNamed: Bool,
        sample: UnitSample?,
        overrides: [String: SessionDecision] = [:]
    ) {
        self.generation = generation
        self.stage = stage
        self.route = route
        self.epoch = epoch
        self.side = side
        self.isNamed = isNamed
        self.sample = sample
        self.overrides = overrides
    }

    var isSampled: Bool { sample?.isIn ?? false }

    /// The generation, and in the last bits where calls go directly.
    var word: UInt64 { generation << DirectSide.bits | (directSide?.word ?? DirectSide.none) }

    /// Set if every call just goes to one side, but for those that are compared.
    private var directSide: DirectSide? {
        guard overrides.isEmpty else { return nil }
        switch route {
        case .legacyOnly, .shadow, .candidateShadowed, .candidateOnly: break
        case .canary, .candidateWithFallback: if side == .candidate { return nil }
        }
        return DirectSide(side: side, isSampled: isSampled, isNamed: isNamed)
    }

    func overridden(for operation: String?) -> SessionDecision { operation.flatMap { overrides[$0] } ?? self }
}

/// Where the unit's streams are to be.
struct StreamSide: Sendable, Hashable {
    var side: Side
    /// Whether the stage opens the other side as well.
    var mayStay: Bool
    /// Whether the kill switch says so.
    var atOnce: Bool
}
