/// Sorts one list into several, each of a type of its own: regular and mythological animals out of one catalogue.
///
/// Each element ends in exactly one place: in the list of the first part that takes it, among the failures if that part
/// recognises it and cannot read it, or in the remainder. Nothing vanishes because nobody asked for it.
public struct Splitter<Source, each Target>: Sendable {
    private let parts: (repeat Part<Source, each Target>)

    /// - Parameter parts: asked in this order for each element.
    public init(_ parts: repeat Part<Source, each Target>) { self.parts = (repeat each parts) }

    /// - Parameter path: where the list stands in the payload; element 3 of "items" is reported at "items[3]".
    public func split(
        _ sources: some Sequence<Source>,
        at path: String = "",
        into report: inout TranslationReport
    ) -> Split<Source, repeat each Target> {
        var rest = sources.enumerated().map { (index: $0.offset, source: $0.element) }
        var failed: [Source] = []
        func take<One>(_ part: Part<Source, One>) -> [One] {
            var taken: [One] = []
            var left: [(index: Int, source: Source)] = []
            for (index, source) in rest {
                let outer = report.enter("\(path)[\(index)]")
                defer { report.leave(to: outer) }
                do throws(TranslationIssue) {
                    if let target = try part.take(source, &report) {
                        taken.append(target)
                    } else {
                        left.append((index, source))
                    }
                } catch {
                    report.addLoss(error)
                    failed.append(source)
                }
            }
            rest = left
            return taken
        }
        return Split(parts: (repeat take(each parts)), failed: failed, remainder: rest.map(\.source))
    }

    /// The same for values that need no report.
    public func split(_ sources: some Sequence<Source>) -> Split<Source, repeat each Target> {
        var report = TranslationReport()
        return split(sources, into: &report)
    }
}

/// Takes those elements that are its own.
public struct Part<Source, Target>: Sendable {
    let take: @Sendable (Source, inout TranslationReport) throws(TranslationIssue) -> Target?

    /// - Parameter take: gives nil for an element that is another's.
    public init(_ take: @escaping @Sendable (Source) -> Target?) {
        self.take = { source, _ throws(TranslationIssue) in take(source) }
    }

    /// Takes the elements that `isMine` recognises, by a translator that may fail.
    public init(where isMine: @escaping @Sendable (Source) -> Bool, _ translator: Translator<Source, Target>) {
        self.take = { source, report throws(TranslationIssue) in
            isMine(source) ? try translator.body(source, &report) : nil
        }
    }
}

/// What a ``Splitter`` made of a list; each list in the order of the whole.
public struct Split<Source, each Target> {
    public let parts: (repeat [each Target])
    /// Recognised, and impossible to read; the report says why.
    public let failed: [Source]
    /// Nobody's.
    public let remainder: [Source]
}

extension Split: Sendable where Source: Sendable, repeat each Target: Sendable {}
