public import Logging  // an adopter's logger is one of the places where issues go

/// A part of a vendor's payload that could not be translated as it is.
public struct TranslationIssue: Error, Sendable, Hashable {
    /// What is wrong, for people: "unknown group".
    public var what: String
    /// Where in the payload: "items[3].kind".
    public var path: String
    /// The value there, as text.
    public var raw: String
    /// How serious the issue is.
    public var severity: Severity

    /// Creates an issue with the raw value at `path`.
    public init(_ what: String, at path: String, raw: String, severity: Severity = .error) {
        self.what = what
        self.path = path
        self.raw = raw
        self.severity = severity
    }

    /// How serious an issue is.
    public enum Severity: String, Sendable, Hashable, Comparable, CaseIterable {
        /// Worth knowing; the value is correct.
        case info
        /// There is a value, but part of the source was lost.
        case warning
        /// There is no value.
        case error

        /// Orders severities from the mildest to the gravest.
        public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
        private var rank: Int {
            switch self {
            case .info: 0
            case .warning: 1
            case .error: 2
            }
        }
    }
}

extension TranslationIssue: CustomStringConvertible {
    /// The severity, what was wrong, the path and the raw value.
    public var description: String { "\(severity.rawValue): \(what) at \(path): \(raw)" }
}

/// Receives the translation issues of an adapter, for a log, a metric or a test. It is injected into the adapter, so that the
/// app's domain does not depend on the kit.
public struct IssueSink: Sendable {
    private let body: @Sendable (_ issues: [TranslationIssue], _ operation: String) -> Void

    /// Creates a sink that passes issues to `body`.
    public init(_ body: @escaping @Sendable (_ issues: [TranslationIssue], _ operation: String) -> Void) {
        self.body = body
    }

    /// Receives the issues of one call of `operation` ("animals"), if there are any.
    public func report(_ issues: [TranslationIssue], of operation: String) {
        if !issues.isEmpty { body(issues, operation) }
    }

    /// Passes issues to several sinks.
    public static func all(_ sinks: IssueSink...) -> IssueSink {
        IssueSink { issues, operation in for sink in sinks { sink.report(issues, of: operation) } }
    }

    /// Counts issues: `count` is called once for each severity that occurs.
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

    /// Logs each issue at the level of its severity: `info`, `warning` or `error`.
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

extension TranslationIssue {
    /// Events that a slow subscriber missed; the issue's `raw` is their number.
    public static func dropped(_ count: Int) -> TranslationIssue {
        TranslationIssue("dropped for a slow subscriber", at: droppedPath, raw: "\(count)", severity: .warning)
    }

    /// The path of ``dropped(_:)``.
    public static let droppedPath = "events"
}
