import Cofferdam
import Foundation
import SanctuaryDomain

@testable import MenagerieV1
@testable import MenagerieV1Adapter

/// Collects what an adapter reports.
final class IssueLog: Sendable {
    private let log = Mutex<[TranslationIssue]>([])

    var issues: [TranslationIssue] { log.withLock { $0 } }

    var sink: IssueSink { IssueSink { issues, _ in self.log.withLock { $0 += issues } } }
}

/// A clock on which every wait is over at once.
struct HastyClock: Clock {
    typealias Instant = ContinuousClock.Instant

    var now: Instant { ContinuousClock.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}

extension Vendor {
    /// For calls whose vendor side the test plays.
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
    /// As the SDK reads an answer.
    static func read(_ json: String) throws(NSError) -> Self { try Transport.decoded(Array(json.utf8)) }
}

func vendorError(_ code: Int, _ userInfo: [String: any Sendable] = [:]) -> NSError {
    NSError(domain: MenagerieErrorDomain, code: code, userInfo: userInfo)
}
