extension Translation {
    /// This translation followed by another, which translates its result.
    @inlinable
    @inline(__always)
    public func then<Next: Translation>(_ next: Next) -> some Translation<Source, Next.Target>
    where Next.Source == Target {
        ChainedTranslation(self, next)
    }
}

/// One translation after the other.
@frozen
@usableFromInline
struct ChainedTranslation<First: Translation, Second: Translation>: Translation
where Second.Source == First.Target {
    @usableFromInline let first: First
    @usableFromInline let second: Second

    @inlinable
    @inline(__always)
    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    @inlinable
    @inline(__always)
    func read(
        _ source: First.Source,
        _ report: inout TranslationReport
    ) throws(TranslationIssue) -> Second.Target {
        try second.read(try first.read(source, &report), &report)
    }
}
