/// Where a unit's calls go without more ado.
@usableFromInline
struct DirectWay {
    @usableFromInline let side: Side
    /// Whether its reads are compared, where there is a place for that.
    @usableFromInline let isSampled: Bool

    @inlinable
    init(side: Side, isSampled: Bool) {
        self.side = side
        self.isSampled = isSampled
    }

    /// In three bits.
    var word: UInt64 { (side == .candidate ? 1 : 0) | (isSampled ? 2 : 0) }

    /// The word for no way at all.
    @inlinable static var none: UInt64 { 4 }

    /// Nil for ``none``; what stands before the last three bits is left alone.
    @inlinable
    init?(word: UInt64) {
        guard word & Self.none == 0 else { return nil }
        self.init(side: word & 1 == 0 ? .legacy : .candidate, isSampled: word & 2 != 0)
    }
}

/// A call that goes directly to its side.
@usableFromInline
struct DirectCall<Port: Sendable> {
    @usableFromInline let port: Port
    @usableFromInline let side: Side
    /// By what it is compared when it has ended; nil if it is not.
    @usableFromInline let comparedBy: SessionDecision?

    @inlinable
    init(port: Port, side: Side, comparedBy: SessionDecision?) {
        self.port = port
        self.side = side
        self.comparedBy = comparedBy
    }
}
