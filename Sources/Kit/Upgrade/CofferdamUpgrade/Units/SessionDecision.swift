import Cofferdam

/// The decision of a session for one state of its control. It is made once, and shared by all calls.
final class SessionDecision: Sendable {
    let calls: UnitCalls
    let generation: UInt64
    let stage: Stage
    /// The stage that routes the calls of the unit: a canary for a named unit that uses the candidate early,
    /// otherwise ``stage``.
    let route: Stage
    let epoch: Int
    /// The hour since 1970 in which the calls count for the alarm; 0 for none.
    let hour: Int64
    let side: Side
    /// Whether the session chose its side in this epoch.
    let hasEntered: Bool
    /// Whether the unit is named, and so counted separately.
    let isNamed: Bool
    let sample: UnitSample?
    /// Whether only this side may answer, apart from comparisons: no call falls back, so only the first calls and
    /// failures are reported.
    let isDirect: Bool
    /// Whether no other side is asked at all.
    let isAlone: Bool
    /// Decisions for single operations, by name.
    private let overrides: [String: SessionDecision]

    init(
        calls: UnitCalls,
        generation: UInt64,
        stage: Stage,
        route: Stage,
        epoch: Int,
        hour: Int64,
        side: Side,
        hasEntered: Bool,
        isNamed: Bool,
        sample: UnitSample?,
        overrides: [String: SessionDecision] = [:]
    ) {
        self.calls = calls
        self.generation = generation
        self.stage = stage
        self.route = route
        self.epoch = epoch
        self.hour = hour
        self.side = side
        self.hasEntered = hasEntered
        self.isNamed = isNamed
        self.sample = sample
        self.overrides = overrides
        isDirect =
            switch route {
            case .legacyOnly, .aa, .shadow, .arms, .candidateShadowed, .candidateOnly: true
            case .canary, .candidateWithFallback: side == .legacy
            }
        isAlone = isDirect && !(sample?.isIn ?? false)
    }

    var isSampled: Bool { sample?.isIn ?? false }

    var hasOverrides: Bool { !overrides.isEmpty }

    func overridden(for operation: String?) -> SessionDecision { operation.flatMap { overrides[$0] } ?? self }
}

/// The side for the streams of a unit.
struct StreamSide: Sendable, Hashable {
    var side: Side
    /// Whether the stage opens the other side as well.
    var canStay: Bool
    /// Whether the kill switch decides.
    var atOnce: Bool
}
