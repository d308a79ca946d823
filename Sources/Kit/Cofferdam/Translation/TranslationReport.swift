/// Collects the issues of one translation, each with its whole path.
@frozen
public struct TranslationReport: Sendable, Hashable {
    /// The issues so far, in the order of the payload.
    public internal(set) var issues: [TranslationIssue] = []
    /// That of the issues, where a loop finds it without following a pointer.
    @usableFromInline var count = 0

    /// Creates an empty report.
    @inlinable
    public init() {}

    /// Adds an issue whose path is relative to the value being translated.
    public mutating func add(_ issue: TranslationIssue) {
        issues.append(issue)
        count += 1
    }

    /// Adds the issue because of which there is no value: of severity `error`, whatever its author thought. A translation
    /// within a translation passes it on, and it stands here once.
    ///
    /// - Parameter mark: how many issues there were when the value's turn came.
    @usableFromInline
    mutating func lose(_ issue: TranslationIssue, since mark: Int) -> TranslationIssue {
        var issue = issue
        issue.severity = .error
        if !issues[mark...].contains(issue) { add(issue) }
        return issue
    }

    /// The issues since then are of what stands at that path.
    @usableFromInline
    mutating func place(since mark: Int, at path: String) {
        for position in mark..<issues.count { issues[position] = issues[position].placed(at: path) }
    }

    /// Forgets the issues since then: another way of reading the value is tried.
    @usableFromInline
    mutating func forget(since mark: Int) {
        issues.removeSubrange(mark...)
        count = mark
    }
}

extension TranslationIssue {
    /// As it is called one level up, where what it is about stands at `prefix`.
    @usableFromInline
    func placed(at prefix: String) -> TranslationIssue {
        var issue = self
        if prefix.isEmpty || path.isEmpty {
            issue.path = prefix + path
        } else {
            issue.path = path.hasPrefix("[") ? prefix + path : "\(prefix).\(path)"
        }
        return issue
    }
}
