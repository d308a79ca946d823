extension Translation {
    /// This translation for the part at `path` of a larger value: with the path "unitPrice", an issue at "amount" is
    /// reported at "unitPrice.amount".
    @inlinable
    @inline(__always)
    public func at(_ path: String) -> some Translation<Source, Target> { LocatedTranslation(self, path) }
}

/// A translation of a part of a value.
@frozen
@usableFromInline
struct LocatedTranslation<Base: Translation>: Translation {
    @usableFromInline let base: Base
    @usableFromInline let path: String

    @inlinable
    @inline(__always)
    init(_ base: Base, _ path: String) {
        self.base = base
        self.path = path
    }

    @inlinable
    @inline(__always)
    func read(
        _ source: Base.Source,
        _ report: inout TranslationReport
    ) throws(TranslationIssue) -> Base.Target {
        let mark = report.count
        do throws(TranslationIssue) {
            let target = try base.read(source, &report)
            if report.count != mark { report.place(since: mark, at: path) }
            return target
        } catch {
            report.place(since: mark, at: path)
            throw error.placed(at: path)
        }
    }
}
