public import Logging  // an adopter's logger is one of the places where issues go

/// Where an adapter's translation issues go: a log, a metric, a probe, a rehearsal. Injected into the adapter, so that the
/// app's domain stays free of the kit.
public struct IssueSink: Sendable {
    private let body: @Sendable (_ issues: [TranslationIssue], _ operation: String) -> Void

    public init(_ body: @escaping @Sendable (_ issues: [TranslationIssue], _ operation: String) -> Void) {
        self.body = body
    }

    /// Takes the issues of one call of `operation` ("animals"); none are not worth a call.
    public func report(_ issues: [TranslationIssue], of operation: String) {
        if !issues.isEmpty { body(issues, operation) }
    }

    /// One log line for each issue, as a warning, or as an error where a value was lost.
    public static func log(_ logger: Logger) -> IssueSink {
        IssueSink { issues, operation in
            for issue in issues {
                logger.log(
                    level: issue.severity == .error ? .error : issue.severity == .warning ? .warning : .info,
                    "\(issue.what)",
                    metadata: ["operation": "\(operation)", "path": "\(issue.path)", "raw": "\(issue.raw)"]
                )
            }
        }
    }
}
