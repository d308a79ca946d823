extension Translation {
    /// This translation for a vendor's page, which holds a list and where to continue.
    ///
    ///     let animals = animal.page(\.results, at: "results") { page, animals in
    ///         Page(items: animals, next: page.nextCursor.map(Cursor.init))
    ///     }
    ///
    /// - Parameters:
    ///   - items: the page's list.
    ///   - path: the list's place in the page.
    ///   - page: makes the app's own page from the vendor's and the translated items.
    @inlinable
    @inline(__always)
    public func page<Page, OwnPage>(
        _ items: @escaping @Sendable (Page) -> [Source],
        at path: String,
        policy: TranslationPolicy = .collect,
        _ page: @escaping @Sendable (Page, [Target]) throws(TranslationIssue) -> OwnPage
    ) -> some Translation<Page, OwnPage> {
        PagedTranslation(base: self, list: TranslatedList(at: path, policy: policy), items: items, page: page)
    }
}

/// A translation of pages.
@frozen
@usableFromInline
struct PagedTranslation<Base: Translation, Page, OwnPage>: Translation {
    @usableFromInline let base: Base
    @usableFromInline let list: TranslatedList
    @usableFromInline let items: @Sendable (Page) -> [Base.Source]
    @usableFromInline let page: @Sendable (Page, [Base.Target]) throws(TranslationIssue) -> OwnPage

    @inlinable
    @inline(__always)
    init(
        base: Base,
        list: TranslatedList,
        items: @escaping @Sendable (Page) -> [Base.Source],
        page: @escaping @Sendable (Page, [Base.Target]) throws(TranslationIssue) -> OwnPage
    ) {
        self.base = base
        self.list = list
        self.items = items
        self.page = page
    }

    @inlinable
    @inline(__always)
    func read(_ source: Page, _ report: inout TranslationReport) throws(TranslationIssue) -> OwnPage {
        try page(source, try base.translate(items(source), in: list, into: &report))
    }
}
