/// Collects the issues of one translation, each with its whole path.
public struct TranslationReport: Sendable, Hashable {
    public private(set) var issues: [TranslationIssue] = []
    /// Where the translation is; made into text only when there is an issue.
    private var path: [Component] = []

    private enum Component: Sendable, Hashable {
        case field(String)
        case index(Int)
    }

    public init() {}

    /// Adds an issue whose path is relative to the value being translated.
    public mutating func add(_ issue: TranslationIssue) { issues.append(placed(issue)) }

    /// How deep the translation is in the payload; for ``addLoss(_:since:)``.
    var depth: Int { path.count }

    /// Adds the issue because of which there is no value: of severity `error`, whatever its author thought. A translator
    /// within a translator passes it on, and it stands here once.
    ///
    /// - Returns: the issue with its path from where the translation was at `depth`.
    @discardableResult
    mutating func addLoss(_ issue: TranslationIssue, since depth: Int = 0) -> TranslationIssue {
        var issue = issue
        issue.severity = .error
        let whole = placed(issue)
        if !issues.contains(whole) { issues.append(whole) }
        return placed(issue, since: depth)
    }

    /// Goes into a list of the payload, at its first element.
    mutating func enter(list: String) {
        path.append(.field(list))
        path.append(.index(0))
    }

    mutating func advance(to index: Int) { path[path.count - 1] = .index(index) }

    mutating func leaveList() { path.removeLast(2) }

    private func placed(_ issue: TranslationIssue, since depth: Int = 0) -> TranslationIssue {
        var issue = issue
        issue.path = path.dropFirst(depth).reversed().reduce(issue.path) { inner, component in
            switch component {
            case .index(let index): Self.join("[\(index)]", inner)
            case .field(let name): Self.join(name, inner)
            }
        }
        return issue
    }

    private static func join(_ a: String, _ b: String) -> String {
        if a.isEmpty { return b }
        if b.isEmpty { return a }
        return b.hasPrefix("[") ? a + b : "\(a).\(b)"
    }
}
