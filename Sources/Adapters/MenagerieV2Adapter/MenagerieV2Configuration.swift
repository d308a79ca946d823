public import Cofferdam  // where issues go
import Foundation
public import SanctuaryDomain  // the time on the wall, as the app has it

/// What Sanctuary needs to know to open the vendor's V2.
public struct MenagerieV2Configuration: Sendable {
    /// "http://127.0.0.1:8080".
    public var serviceURL: String
    public var key: String
    /// Where the session and other state are kept; made if it does not exist.
    public var directory: String
    /// Of display names and of the vendor's error texts: "en", "de".
    public var language: String
    /// Where translation issues go.
    public var issues: IssueSink
    /// Of each call at a port, as a whole: refresh, retries and every step included.
    public var deadline: Duration
    public var clock: any Clock<Duration>
    /// Before an order is sent again for the first time; doubles each time.
    public var retryBackoff: Duration
    /// Whether the user allows the vendor to be told of launches.
    public var allowsTelemetry: Bool
    /// Who has the session, where several instances are open for the directory; nil is one of this instance's own.
    public var credentials: MenagerieV2Credentials?
    /// What is done before V2 sends messages, for who opens V1 in the same directory as well: calls `prepare`, and says by its
    /// argument whether V2 may take over what V1 could not send. It may not while V1 is sending: both would. What is returned is
    /// called when V2 has sent.
    public var beforeSending: BeforeSending
    /// The time on the wall, against which the vendor's dates are held.
    public var now: @Sendable () -> Instant
    /// Where the work that belongs to no single call runs: streams, the shared refresh.
    public var executor: (any TaskExecutor)?

    public init(
        serviceURL: String,
        key: String,
        directory: String,
        language: String = "en",
        issues: IssueSink = IssueSink { _, _ in },
        deadline: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock(),
        retryBackoff: Duration = .milliseconds(100),
        allowsTelemetry: Bool = false,
        credentials: MenagerieV2Credentials? = nil,
        beforeSending: @escaping BeforeSending = { prepare in
            await prepare(true)
            return {}
        },
        now: (@Sendable () -> Instant)? = nil,
        executor: (any TaskExecutor)? = nil
    ) {
        self.serviceURL = serviceURL
        self.key = key
        self.directory = directory
        self.language = language
        self.issues = issues
        self.deadline = deadline
        self.clock = clock
        self.retryBackoff = retryBackoff
        self.allowsTelemetry = allowsTelemetry
        self.credentials = credentials
        self.beforeSending = beforeSending
        self.now = now ?? { Instant(Date()) }
        self.executor = executor
    }

    public typealias BeforeSending =
        @Sendable (
            _ prepare: @escaping @Sendable (_ mayTakeOver: Bool) async -> Void
        ) async throws -> @Sendable () -> Void
}

extension Set<Capability> {
    /// What the vendor's V2 can do beyond what every SDK must.
    public static let menagerieV2: Self = [
        .sessionRefresh, .vendorCursors, .instances, .mixedCurrencies, .idempotencyKeys, .conditionalGet,
        .groupFilter, .progress,
    ]
}
