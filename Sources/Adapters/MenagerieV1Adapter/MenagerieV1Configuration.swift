public import Cofferdam  // issues go where the app's composition root says
import Foundation
public import SanctuaryDomain  // the wall clock gives the domain's instants

/// How to open the vendor's V1 SDK.
public struct MenagerieV1Configuration: Sendable {
    /// The vendor's address: "http://127.0.0.1:8080".
    public var serviceURL: String
    /// The app's key at the vendor.
    public var key: String
    /// Where the SDK keeps the session; made if it does not exist.
    public var directory: String
    /// The reader's language, for display names: "en", "de-AT".
    public var language: String
    /// Gets what the vendor said and could not be read as it stands.
    public var issues: IssueSink
    /// Whether V2 answers in this directory now, and V1 only stands by: V2's session is its own then, and is not forgotten
    /// when somebody signs out here.
    public var isSucceeded: @Sendable () -> Bool
    /// What is done before V1 sends messages, for who opens V2 in the same directory as well: calls `prepare`, and says by its
    /// argument whether V1 may take over what V2 could not send. It may not while V2 is sending: both would. What is returned is
    /// called when V1 has sent.
    public var beforeSending: BeforeSending
    /// The longest that one call of a port may take, by `clock`.
    public var deadline: Duration
    public var clock: any Clock<Duration>
    /// The device's time of day, which this SDK stamps messages with.
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

    /// The system's clock.
    @Sendable public static func timeOfDay() -> Instant {
        Instant(millisecondsSince1970: Int64((Date().timeIntervalSince1970 * 1000).rounded()))
    }
}

extension Set<Capability> {
    /// What the vendor's V1 can do beyond what every SDK must.
    public static let menagerieV1: Self = [.nicknames, .conditionalGet, .groupFilter, .progress]
}
