#if Sandbox
public import Foundation  // the wall clock, which the vendor's errors use

/// The options of a ``MenagerieClient``. The client copies them: later changes have no effect.
public struct MenagerieOptions: Sendable {
    /// The platform's address: "http://127.0.0.1:8080".
    public var serviceURL: String
    public var apiKey: String
    /// The directory for the session and other state. Created if it does not exist.
    public var directory: String
    /// The language of `localizedName` and of the server's error messages.
    public var language: String
    /// The number of retries of an order after a failure of the server or the transport.
    public var orderRetries: Int
    /// The wait before the first retry; it doubles with each.
    public var retryBackoff: Duration
    /// Whether launches are reported to the platform.
    public var lifecycleTelemetry: Bool
    public var clock: any Clock<Duration>
    public var now: @Sendable () -> Date

    public init(
        serviceURL: String,
        apiKey: String,
        directory: String,
        language: String = "en",
        orderRetries: Int = 3,
        retryBackoff: Duration = .milliseconds(100),
        lifecycleTelemetry: Bool = true,
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.serviceURL = serviceURL
        self.apiKey = apiKey
        self.directory = directory
        self.language = language
        self.orderRetries = orderRetries
        self.retryBackoff = retryBackoff
        self.lifecycleTelemetry = lifecycleTelemetry
        self.clock = clock
        self.now = now
    }
}
#endif
