#if Sandbox
import Cofferdam
import Foundation
import SanctuaryDomain

@testable import MenagerieV1
@testable import MenagerieV1Adapter

/// Collects an adapter's issues.
final class IssueLog: Sendable {
    private let log = Mutex<[TranslationIssue]>([])

    var issues: [TranslationIssue] { log.withLock { $0 } }

    var sink: IssueSink { IssueSink { issues, _ in self.log.withLock { $0 += issues } } }
}

/// A clock on which every wait ends at once.
struct HastyClock: Clock {
    typealias Instant = ContinuousClock.Instant

    var now: Instant { ContinuousClock.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}

extension Vendor {
    /// Makes calls for which the test plays the vendor.
    static func played(issues: IssueLog = IssueLog(), clock: any Clock<Duration> = ContinuousClock()) -> Vendor {
        Vendor(
            MenagerieV1Configuration(
                serviceURL: "http://127.0.0.1:1",
                key: "key",
                directory: "unused",
                issues: issues.sink,
                clock: clock
            )
        )
    }
}

extension SanctuaryError {
    static func of(_ body: () async throws -> some Any) async -> SanctuaryError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? SanctuaryError
        }
    }
}

extension Decodable {
    /// Decodes an answer as the SDK does.
    static func read(_ json: String) throws(NSError) -> Self { try Transport.decoded(Array(json.utf8)) }
}

func vendorError(_ code: Int, _ userInfo: [String: any Sendable] = [:]) -> NSError {
    NSError(domain: MenagerieErrorDomain, code: code, userInfo: userInfo)
}
#endif
