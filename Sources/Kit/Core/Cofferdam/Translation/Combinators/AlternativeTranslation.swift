extension Translation {
    /// This translation or, if it gives no value, another one of the same source: for a field that comes in two shapes.
    ///
    /// The report holds only the issues of the translation that gave the value. If neither did, one issue gives both
    /// reasons.
    @inlinable
    @inline(__always)
    public func or<Other: Translation>(_ other: Other) -> some Translation<Source, Target>
    where Other.Source == Source, Other.Target == Target {
        AlternativeTranslation(self, other)
    }
}

/// One translation, or else another.
@frozen
@usableFromInline
struct AlternativeTranslation<First: Translation, Second: Translation>: Translation
where First.Source == Second.Source, First.Target == Second.Target {
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
    ) throws(TranslationIssue) -> First.Target {
        let mark = report.count
        do throws(TranslationIssue) {
            return try first.read(source, &report)
        } catch {
            report.forget(since: mark)
            return try readOtherwise(source, &report, instead: error, since: mark)
        }
    }

    @usableFromInline
    func readOtherwise(
        _ source: First.Source,
        _ report: inout TranslationReport,
        instead first: TranslationIssue,
        since mark: Int
    ) throws(TranslationIssue) -> First.Target {
        do throws(TranslationIssue) {
            return try second.read(source, &report)
        } catch {
            report.forget(since: mark)
            throw first.or(error)
        }
    }
}

extension TranslationIssue {
    /// Why neither translation gave a value.
    fileprivate func or(_ other: TranslationIssue) -> TranslationIssue {
        guard path != other.path || raw != other.raw else {
            return TranslationIssue("\(what), nor \(other.what)", at: path, raw: raw)
        }
        return TranslationIssue(
            "\(whatAndWhere), nor \(other.whatAndWhere)",
            at: "",
            raw: raw == other.raw ? raw : "\(raw), \(other.raw)"
        )
    }

    private var whatAndWhere: String { path.isEmpty ? what : "\(what) at \(path)" }
}
