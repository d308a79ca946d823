#if Sandbox
public import Cofferdam  // where issues go
import Foundation
public import SanctuaryDomain  // the app's wall clock

/// The configuration of the vendor's V2.
public struct MenagerieV2Configuration: Sendable {
    /// The vendor's address: "http://127.0.0.1:8080".
    public var serviceURL: String
    public var key: String
    /// The directory for the session and other state; created if it does not exist.
    public var directory: String
    /// The language of display names and of the vendor's error messages: "en", "de".
    public var language: String
    /// Receives translation issues.
    public var issues: IssueSink
    /// The deadline of each call of a port as a whole, including token refresh, retries and every step.
    public var deadline: Duration
    public var clock: any Clock<Duration>
    /// The wait before an order's first retry; it doubles with each retry.
    public var retryBackoff: Duration
    /// Whether the user allows launches to be reported to the vendor.
    public var allowsTelemetry: Bool
    /// The session shared by several instances in the directory; nil creates one for this instance.
    public var credentials: MenagerieV2Credentials?
    /// Called before V2 sends messages, for callers that open V1 in the same directory as well. It calls `prepare`,
    /// whose argument says whether V2 may take over V1's unsent messages; while V1 is sending it may not, because both
    /// would send them. The closure it returns is called once V2 has sent.
    public var beforeSending: BeforeSending
    /// The wall clock, also the SDK's, to which the vendor's dates are compared.
    public var now: @Sendable () -> Instant
    /// Runs work that belongs to no single call, such as streams and the shared refresh.
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
    /// The capabilities of the vendor's V2 beyond those required of every SDK.
    public static let menagerieV2: Self = [
        .sessionRefresh, .vendorCursors, .instances, .mixedCurrencies, .idempotencyKeys, .conditionalGet,
        .groupFilter, .progress,
    ]
}
#endif
