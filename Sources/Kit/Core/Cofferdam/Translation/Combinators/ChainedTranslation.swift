extension Translation {
    /// This translation followed by another, which translates its result.
    @inlinable
    @inline(__always)
    public func then<Next: Translation>(_ next: Next) -> ChainedTranslation<Self, Next> where Next.Source == Target {
        ChainedTranslation(self, next)
    }
}

/// One translation after the other; made by ``Translation/then(_:)``.
@frozen
public struct ChainedTranslation<First: Translation, Second: Translation>: Translation
where Second.Source == First.Target {
    @usableFromInline let first: First
    @usableFromInline let second: Second

    @inlinable
    @inline(__always)
    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    /// Translates with the first translation, and its result with the second.
    @inlinable
    @inline(__always)
    public func read(
        _ source: First.Source,
        _ report: inout TranslationReport
    ) throws(TranslationIssue) -> Second.Target {
        try second.read(try first.read(source, &report), &report)
    }
}
