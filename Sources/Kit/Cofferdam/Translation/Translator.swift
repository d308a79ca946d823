/// Any ``Translation``, with its type erased: to be stored, passed and chosen at run time.
///
/// It holds two closures, one for a value and one for a whole list, so that a list costs one call.
@frozen
public struct Translator<Source, Target>: Translation {
    @usableFromInline
    typealias One = @Sendable (Source, inout TranslationReport) throws(TranslationIssue) -> Target
    @usableFromInline
    typealias Many =
        @Sendable (UnsafeBufferPointer<Source>, TranslatedList, inout TranslationReport)
        throws(TranslationIssue) -> [Target]

    @usableFromInline let one: One
    @usableFromInline let many: Many

    /// Erases the type of a translation.
    @inlinable
    @inline(__always)
    public init(_ translation: some Translation<Source, Target>) {
        one = { source, report throws(TranslationIssue) in try translation.read(source, &report) }
        many = { sources, list, report throws(TranslationIssue) in try translation.read(sources, in: list, &report) }
    }

    /// As fast as the type-erased form of a type of its own, if `body` captures nothing. One that does is called by pointer
    /// for each value of a list: where that matters, let a type conform to ``Translation``, and hold as its property what
    /// the closure would capture.
    ///
    /// - Parameter body: translates one value; throws the issue that makes a value impossible, and reports to the
    ///   report what is odd and still gives a value. Paths are relative to the value.
    @inlinable
    @inline(__always)
    public init(_ body: @escaping @Sendable (Source, inout TranslationReport) throws(TranslationIssue) -> Target) {
        one = body
        many = { sources, list, report throws(TranslationIssue) in
            try readAll(sources, in: list, &report, by: body)
        }
    }

    @inlinable
    @inline(__always)
    public func read(_ source: Source, _ report: inout TranslationReport) throws(TranslationIssue) -> Target {
        try one(source, &report)
    }

    @inlinable
    @inline(__always)
    public func read(
        _ sources: UnsafeBufferPointer<Source>,
        in list: TranslatedList,
        _ report: inout TranslationReport
    ) throws(TranslationIssue) -> [Target] {
        try many(sources, list, &report)
    }
}
