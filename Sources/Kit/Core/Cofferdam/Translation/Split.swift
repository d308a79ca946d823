/// Splits one list into several of different types, such as the regular and the mythological animals of a catalogue.
///
///     var split = Split(animals, at: "items")
///     let mythological = split.take(MythologicalAnimal.init)
///     let regular = split.take { RegularAnimal($0) }
///     // split.remainder: neither
///
/// Each element ends in exactly one place: in the list of the first part that takes it, among the failures if that part
/// recognises it but cannot read it, or in the remainder.
public struct Split<Source> {
    /// Elements that were recognised but could not be read; the report says why.
    public private(set) var failed: [Source] = []
    /// The issues so far.
    public private(set) var report: TranslationReport
    private var rest: [(index: Int, source: Source)]
    private let path: String

    /// - Parameters:
    ///   - path: the list's place in the payload; element 3 of "items" is reported at "items[3]".
    ///   - report: the report to add to.
    public init(_ sources: some Sequence<Source>, at path: String = "", report: TranslationReport = TranslationReport())
    {
        rest = sources.enumerated().map { (index: $0.offset, source: $0.element) }
        self.path = path
        self.report = report
    }

    /// The elements that have not been taken yet, in their original order.
    public var remainder: [Source] { rest.map(\.source) }

    /// Takes the elements for which `part` returns a value, in their original order.
    public mutating func take<Target>(_ part: (Source) -> Target?) -> [Target] {
        sort { source, _ throws(TranslationIssue) in part(source) }
    }

    /// Takes the elements that `isMatch` recognises, with a translation that may fail.
    public mutating func take<Target>(
        where isMatch: (Source) -> Bool,
        _ translation: some Translation<Source, Target>
    ) -> [Target] {
        sort { source, report throws(TranslationIssue) in
            isMatch(source) ? try translation.read(source, &report) : nil
        }
    }

    private mutating func sort<Target>(
        _ part: (Source, inout TranslationReport) throws(TranslationIssue) -> Target?
    ) -> [Target] {
        var taken: [Target] = []
        var left: [(index: Int, source: Source)] = []
        for (index, source) in rest {
            let mark = report.count
            defer { if report.count != mark { report.place(since: mark, at: "\(path)[\(index)]") } }
            do throws(TranslationIssue) {
                if let target = try part(source, &report) {
                    taken.append(target)
                } else {
                    left.append((index, source))
                }
            } catch {
                _ = report.lose(error, since: mark)
                failed.append(source)
            }
        }
        rest = left
        return taken
    }
}

extension Split: Sendable where Source: Sendable {}
