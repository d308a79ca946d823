extension Translation {
    /// This translation for a value that may be absent. Absence is not an error: nil becomes nil. A wrong value still
    /// is one.
    @inlinable
    @inline(__always)
    public var optional: some Translation<Source?, Target?> { OptionalTranslation(self) }
}

/// A translation that lets nil through.
@frozen
@usableFromInline
struct OptionalTranslation<Base: Translation>: Translation {
    @usableFromInline let base: Base

    @inlinable
    @inline(__always)
    init(_ base: Base) { self.base = base }

    @inlinable
    @inline(__always)
    func read(
        _ source: Base.Source?,
        _ report: inout TranslationReport
    ) throws(TranslationIssue) -> Base.Target? {
        guard let source else { return nil }
        return try base.read(source, &report)
    }
}
