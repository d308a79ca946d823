/// A type-erased ``Translation``, to store, pass and choose at run time.
///
/// It holds one closure for a value and one for a list, so that a list costs one call.
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

    /// Creates a translator from a closure. A closure with captures is called by pointer for each value of a list: where that
    /// matters, conform a type to ``Translation`` with properties instead of captures.
    ///
    /// - Parameter body: translates one value. It throws the issue that prevents a value and adds others to the report. Paths
    ///   are relative to the value.
    @inlinable
    @inline(__always)
    public init(_ body: @escaping @Sendable (Source, inout TranslationReport) throws(TranslationIssue) -> Target) {
        one = body
        many = { sources, list, report throws(TranslationIssue) in
            try readAll(sources, in: list, &report, by: body)
        }
    }

    /// Translates one value with the wrapped translation, and adds its issues to the report.
    @inlinable
    @inline(__always)
    public func read(_ source: Source, _ report: inout TranslationReport) throws(TranslationIssue) -> Target {
        try one(source, &report)
    }

    /// Translates a list with the wrapped translation, and adds the issues to the report.
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
