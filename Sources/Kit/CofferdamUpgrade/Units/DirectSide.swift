import Cofferdam

/// The side that every call of a unit goes straight to.
struct DirectSide {
    let side: Side
    /// Whether its reads are compared, where there is a place for that.
    let isSampled: Bool
    /// Whether its unit is a named one.
    let isNamed: Bool

    init(side: Side, isSampled: Bool, isNamed: Bool) {
        self.side = side
        self.isSampled = isSampled
        self.isNamed = isNamed
    }

    /// How many bits a word has.
    static var bits: UInt64 { 4 }

    /// In ``bits`` bits.
    var word: UInt64 { (side == .candidate ? 1 : 0) | (isSampled ? 2 : 0) | (isNamed ? 8 : 0) }

    /// The word for no fast path.
    static var none: UInt64 { 4 }

    /// Nil for ``none``; what stands before the last bits is left alone.
    init?(word: UInt64) {
        guard word & Self.none == 0 else { return nil }
        self.init(side: word & 1 == 0 ? .legacy : .candidate, isSampled: word & 2 != 0, isNamed: word & 8 != 0)
    }
}
