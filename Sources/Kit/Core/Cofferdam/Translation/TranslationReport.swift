/// Collects the issues of one translation, each with its whole path.
@frozen
public struct TranslationReport: Sendable, Hashable {
    /// The issues so far, in the order of the payload.
    public internal(set) var issues: [TranslationIssue] = []
    /// The number of issues, which a loop reads here without following a pointer.
    @usableFromInline var count = 0

    /// Creates an empty report.
    @inlinable
    public init() {}

    /// Adds an issue whose path is relative to the value being translated.
    public mutating func add(_ issue: TranslationIssue) {
        issues.append(issue)
        count += 1
    }

    /// Adds the issue that prevents a value, with severity `error` whatever it was created with. Nested translations
    /// pass the same issue on; it is added only once.
    ///
    /// - Parameter mark: how many issues there were before the value was translated.
    @usableFromInline
    mutating func lose(_ issue: TranslationIssue, since mark: Int) -> TranslationIssue {
        var issue = issue
        issue.severity = .error
        if !issues[mark...].contains(issue) { add(issue) }
        return issue
    }

    /// Prefixes the paths of the issues since `mark` with `path`.
    @usableFromInline
    mutating func place(since mark: Int, at path: String) {
        for position in mark..<issues.count { issues[position] = issues[position].placed(at: path) }
    }

    /// Removes the issues since `mark`, which belong to a failed way of reading the value.
    @usableFromInline
    mutating func forget(since mark: Int) {
        issues.removeSubrange(mark...)
        count = mark
    }
}

extension TranslationIssue {
    /// The issue as seen one level up, where its value is at `prefix`.
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
