extension Translation {
    /// This translation for each element of a list that is a part of a value.
    ///
    /// - Parameter path: the list's place in that value.
    @inlinable
    @inline(__always)
    public func array(at path: String = "", policy: TranslationPolicy = .collect) -> some Translation<
        [Source], [Target]
    > {
        ListTranslation(self, TranslatedList(at: path, policy: policy))
    }
}

/// A translation of lists.
@frozen
@usableFromInline
struct ListTranslation<Base: Translation>: Translation {
    @usableFromInline let base: Base
    @usableFromInline let list: TranslatedList

    @inlinable
    @inline(__always)
    init(_ base: Base, _ list: TranslatedList) {
        self.base = base
        self.list = list
    }

    @inlinable
    @inline(__always)
    func read(
        _ source: [Base.Source],
        _ report: inout TranslationReport
    ) throws(TranslationIssue) -> [Base.Target] {
        try base.translate(source, in: list, into: &report)
    }
}
