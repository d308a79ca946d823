import Cofferdam

/// Keeps what an adapter tells its sink, one line for each issue.
final class IssueRecord: Sendable {
    private let told = Mutex<[String]>([])

    var lines: [String] { told.withLock { $0 } }

    var sink: IssueSink {
        IssueSink { [self] issues, operation in
            told.withLock { $0 += issues.map { "\(operation) at \($0.path): \($0.what): \($0.raw)" } }
        }
    }
}
