extension Translation {
    /// The collection in translated pages. A page is translated when it is read, and only that page.
    ///
    /// - Parameters:
    ///   - size: how many values a page has, at least 1; the last may have fewer.
    ///   - path: the collection's place in the payload.
    public func pages<Sources: RandomAccessCollection<Source>>(
        of sources: Sources,
        size: Int,
        at path: String = ""
    ) -> TranslatedPages<Self, Sources> {
        TranslatedPages(translation: self, sources: sources, size: max(1, size), path: path)
    }
}

/// A part of a translated list.
public struct TranslatedPage<Target> {
    /// The translated values of the page.
    public var values: [Target]
    /// The issues of the page, with paths in the whole list.
    public var issues: [TranslationIssue]
}

extension TranslatedPage: Sendable where Target: Sendable {}

/// A list that is translated lazily, page by page; see ``Translation/pages(of:size:at:)``. Pages are not cached.
public struct TranslatedPages<Base: Translation, Sources: RandomAccessCollection>: RandomAccessCollection
where Sources.Element == Base.Source {
    let translation: Base
    let sources: Sources
    let size: Int
    let path: String

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of pages; the last may be shorter than the others.
    public var endIndex: Int { sources.count / size + (sources.count.isMultiple(of: size) ? 0 : 1) }

    /// Translates the elements of that page, anew at each access.
    public subscript(page: Int) -> TranslatedPage<Base.Target> {
        precondition(indices.contains(page), "there is no page \(page) of \(count)")
        let start = page * size
        let from = sources.index(sources.startIndex, offsetBy: start)
        let to = sources.index(from, offsetBy: size, limitedBy: sources.endIndex) ?? sources.endIndex
        var report = TranslationReport()
        var values: [Base.Target] = []
        do throws(TranslationIssue) {
            values = try translation.translate(
                sources[from..<to],
                in: TranslatedList(at: path, from: start),
                into: &report
            )
        } catch {
            // Never happens: the policy tolerates every loss. The report would have it anyway.
        }
        return TranslatedPage(values: values, issues: report.issues)
    }
}
