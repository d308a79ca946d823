extension Translation {
    /// This translation together with the way back.
    @inlinable
    @inline(__always)
    public func twoWay<Back: Translation>(_ back: Back) -> TwoWayTranslation<Self, Back>
    where Back.Source == Target, Back.Target == Source {
        TwoWayTranslation(forth: self, back: back)
    }
}

/// A translation and the way back, for what is read from a vendor and written to it.
///
/// Used as a translation it is the way forth.
@frozen
public struct TwoWayTranslation<Forth: Translation, Back: Translation>: Translation
where Back.Source == Forth.Target, Back.Target == Forth.Source {
    /// The translation of a source into a target.
    public let forth: Forth
    /// The translation of a target into a source.
    public let back: Back

    @inlinable
    @inline(__always)
    public init(forth: Forth, back: Back) {
        self.forth = forth
        self.back = back
    }

    /// The same, seen from the other side.
    @inlinable
    @inline(__always)
    public var reversed: TwoWayTranslation<Back, Forth> { TwoWayTranslation<Back, Forth>(forth: back, back: forth) }

    @inlinable
    @inline(__always)
    public func read(
        _ source: Forth.Source,
        _ report: inout TranslationReport
    ) throws(TranslationIssue) -> Forth.Target {
        try forth.read(source, &report)
    }
}
