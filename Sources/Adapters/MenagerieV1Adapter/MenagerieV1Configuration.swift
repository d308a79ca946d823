#if Sandbox
public import Cofferdam  // issues go where the app's composition root says
import Foundation
public import SanctuaryDomain  // the wall clock gives the domain's instants

/// The configuration of the vendor's V1 SDK.
public struct MenagerieV1Configuration: Sendable {
    /// The vendor's address: "http://127.0.0.1:8080".
    public var serviceURL: String
    /// The app's API key.
    public var key: String
    /// The directory in which the SDK keeps the session; created if it does not exist.
    public var directory: String
    /// The user's language, for display names: "en", "de-AT".
    public var language: String
    /// Receives an issue for each value from the vendor that could not be translated as it is.
    public var issues: IssueSink
    /// Whether V2 answers in this directory now, and V1 is only the fallback: V2 then owns its session, which is kept
    /// when the user signs out here.
    public var isSucceeded: @Sendable () -> Bool
    /// Called before V1 sends messages, for callers that open V2 in the same directory as well. It calls `prepare`,
    /// whose argument says whether V1 may take over V2's unsent messages; while V2 is sending it may not, because both
    /// would send them. The closure it returns is called once V1 has sent.
    public var beforeSending: BeforeSending
    /// The longest time that one call of a port may take, measured by `clock`.
    public var deadline: Duration
    public var clock: any Clock<Duration>
    /// The device's wall clock, with which this SDK stamps messages.
    public var now: @Sendable () -> Instant

    public init(
        serviceURL: String,
        key: String,
        directory: String,
        language: String = "en",
        issues: IssueSink,
        isSucceeded: @escaping @Sendable () -> Bool = { false },
        beforeSending: @escaping BeforeSending = { prepare in
            await prepare(true)
            return {}
        },
        deadline: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Instant = Self.timeOfDay
    ) {
        self.serviceURL = serviceURL
        self.key = key
        self.directory = directory
        self.language = language
        self.issues = issues
        self.isSucceeded = isSucceeded
        self.beforeSending = beforeSending
        self.deadline = deadline
        self.clock = clock
        self.now = now
    }

    public typealias BeforeSending =
        @Sendable (
            _ prepare: @escaping @Sendable (_ mayTakeOver: Bool) async -> Void
        ) async throws -> @Sendable () -> Void

    /// The system's wall clock.
    @Sendable public static func timeOfDay() -> Instant {
        Instant(millisecondsSince1970: Int64((Date().timeIntervalSince1970 * 1000).rounded()))
    }
}

extension Set<Capability> {
    /// The capabilities of the vendor's V1 beyond those required of every SDK.
    public static let menagerieV1: Self = [.nicknames, .conditionalGet, .groupFilter, .progress]
}
#endif
