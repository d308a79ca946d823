#if Sandbox
import Cofferdam

/// Records the issues that an adapter reports, one line each.
final class IssueRecord: Sendable {
    private let recorded = Mutex<[String]>([])

    var lines: [String] { recorded.withLock { $0 } }

    var sink: IssueSink {
        IssueSink { [self] issues, operation in
            recorded.withLock { $0 += issues.map { "\(operation) at \($0.path): \($0.what): \($0.raw)" } }
        }
    }
}
#endif
