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

    /// To each of several places.
    public static func all(_ sinks: IssueSink...) -> IssueSink {
        IssueSink { issues, operation in for sink in sinks { sink.report(issues, of: operation) } }
    }

    /// Counted, for a metric or a contract: `count` is called once for each severity that there is.
    public static func count(
        _ count: @escaping @Sendable (_ issues: Int, TranslationIssue.Severity, _ operation: String) -> Void
    ) -> IssueSink {
        IssueSink { issues, operation in
            for severity in TranslationIssue.Severity.allCases {
                let number = issues.count { $0.severity == severity }
                if number > 0 { count(number, severity, operation) }
            }
        }
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
