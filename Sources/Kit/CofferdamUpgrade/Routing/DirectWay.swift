/// Where a unit's calls go without more ado.
@usableFromInline
struct DirectWay {
    @usableFromInline let side: Side
    /// Whether its reads are compared, where there is a place for that.
    @usableFromInline let isSampled: Bool
    /// Whether its unit is a named one.
    @usableFromInline let isNamed: Bool

    @inlinable
    init(side: Side, isSampled: Bool, isNamed: Bool) {
        self.side = side
        self.isSampled = isSampled
        self.isNamed = isNamed
    }

    /// How many bits a word has.
    @inlinable static var bits: UInt64 { 4 }

    /// In ``bits`` bits.
    var word: UInt64 { (side == .candidate ? 1 : 0) | (isSampled ? 2 : 0) | (isNamed ? 8 : 0) }

    /// The word for no way at all.
    @inlinable static var none: UInt64 { 4 }

    /// Nil for ``none``; what stands before the last bits is left alone.
    @inlinable
    init?(word: UInt64) {
        guard word & Self.none == 0 else { return nil }
        self.init(side: word & 1 == 0 ? .legacy : .candidate, isSampled: word & 2 != 0, isNamed: word & 8 != 0)
    }
}

/// A call that goes directly to its side.
@usableFromInline
struct DirectCall<Port: Sendable> {
    @usableFromInline let port: Port
    @usableFromInline let side: Side
    /// By what it is compared when it has ended; nil if it is not.
    @usableFromInline let comparedBy: SessionDecision?
    /// Whether its unit is a named one.
    @usableFromInline let isNamed: Bool

    @inlinable
    init(port: Port, side: Side, isNamed: Bool, comparedBy: SessionDecision?) {
        self.port = port
        self.side = side
        self.isNamed = isNamed
        self.comparedBy = comparedBy
    }
}
