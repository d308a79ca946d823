import Cofferdam

/// The decision of a session for one state of its control. It is made once, and shared by all calls that do not take
/// the fast path.
final class SessionDecision: Sendable {
    let generation: UInt64
    let stage: Stage
    /// The stage that routes the calls of the unit: a canary for a named unit that uses the candidate early,
    /// otherwise ``stage``.
    let route: Stage
    let epoch: Int
    let side: Side
    /// Whether the unit is named, and so counted separately.
    let isNamed: Bool
    let sample: UnitSample?
    /// Decisions for single operations, by name.
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

    /// The generation, with the fast path in the low bits.
    var word: UInt64 { generation << DirectSide.bits | (directSide?.word ?? DirectSide.none) }

    /// The side to which every call goes, apart from comparisons; nil if there is no such side.
    private var directSide: DirectSide? {
        guard overrides.isEmpty else { return nil }
        switch route {
        case .legacyOnly, .aa, .shadow, .arms, .candidateShadowed, .candidateOnly: break
        case .canary, .candidateWithFallback: if side == .candidate { return nil }
        }
        return DirectSide(side: side, isSampled: isSampled, isNamed: isNamed)
    }

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

/// The side to which every call of a unit goes on the fast path.
struct DirectSide {
    let side: Side
    /// Whether reads are compared, if the queue has room.
    let isSampled: Bool
    /// Whether the unit is named.
    let isNamed: Bool

    init(side: Side, isSampled: Bool, isNamed: Bool) {
        self.side = side
        self.isSampled = isSampled
        self.isNamed = isNamed
    }

    /// The number of bits that ``word`` takes.
    static var bits: UInt64 { 4 }

    /// The value, encoded in ``bits`` bits.
    var word: UInt64 { (side == .candidate ? 1 : 0) | (isSampled ? 2 : 0) | (isNamed ? 8 : 0) }

    /// The word that means no fast path.
    static var none: UInt64 { 4 }

    /// Nil for ``none``; ignores the higher bits.
    init?(word: UInt64) {
        guard word & Self.none == 0 else { return nil }
        self.init(side: word & 1 == 0 ? .legacy : .candidate, isSampled: word & 2 != 0, isNamed: word & 8 != 0)
    }
}
