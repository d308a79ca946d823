extension Translation {
    /// This translation together with its inverse.
    @inlinable
    @inline(__always)
    public func twoWay<Backward: Translation>(_ backward: Backward) -> TwoWayTranslation<Self, Backward>
    where Backward.Source == Target, Backward.Target == Source {
        TwoWayTranslation(forward: self, backward: backward)
    }
}

/// A translation and its inverse, for values that are read from a vendor and written to it.
///
/// Used as a translation, it translates forward.
@frozen
public struct TwoWayTranslation<Forward: Translation, Backward: Translation>: Translation
where Backward.Source == Forward.Target, Backward.Target == Forward.Source {
    /// The translation of a source into a target.
    @usableFromInline let forward: Forward
    /// The translation of a target into a source.
    @usableFromInline let backward: Backward

    /// Joins two translations of opposite directions.
    @inlinable
    @inline(__always)
    init(forward: Forward, backward: Backward) {
        self.forward = forward
        self.backward = backward
    }

    /// The translation with both directions swapped.
    @inlinable
    @inline(__always)
    public var reversed: TwoWayTranslation<Backward, Forward> {
        TwoWayTranslation<Backward, Forward>(forward: backward, backward: forward)
    }

    /// Translates forward.
    @inlinable
    @inline(__always)
    public func read(
        _ source: Forward.Source,
        _ report: inout TranslationReport
    ) throws(TranslationIssue) -> Forward.Target {
        try forward.read(source, &report)
    }
}
