/// Collects the issues of one translation, each with its whole path.
public struct TranslationReport: Sendable, Hashable {
    public private(set) var issues: [TranslationIssue] = []
    private var path = ""

    public init() {}

    /// Adds an issue whose path is relative to the value being translated.
    public mutating func add(_ issue: TranslationIssue) { issues.append(placed(issue)) }

    /// Adds the issue because of which there is no value: of severity `error`, whatever its author thought.
    @discardableResult
    mutating func addLoss(_ issue: TranslationIssue) -> TranslationIssue {
        var issue = placed(issue)
        issue.severity = .error
        issues.append(issue)
        return issue
    }

    /// Goes into a part of the payload; give what it returns to `leave(to:)`.
    mutating func enter(_ component: String) -> String {
        let outer = path
        path = Self.join(path, component)
        return outer
    }

    mutating func leave(to outer: String) { path = outer }

    private func placed(_ issue: TranslationIssue) -> TranslationIssue {
        var issue = issue
        issue.path = Self.join(path, issue.path)
        return issue
    }

    private static func join(_ a: String, _ b: String) -> String {
        if a.isEmpty { return b }
        if b.isEmpty { return a }
        return b.hasPrefix("[") ? a + b : "\(a).\(b)"
    }
}
