public import Foundation  // the clock on the wall, which the vendor's errors tell

/// What a ``MenagerieClient`` is made with. A copy is taken: changing it afterwards changes no client.
public struct MenagerieOptions: Sendable {
    /// Where the platform is: "http://127.0.0.1:8080".
    public var serviceURL: String
    public var apiKey: String
    /// Where the session and other state are kept. Made if it does not exist.
    public var directory: String
    /// Of `localizedName` and of the server's error texts.
    public var language: String
    /// How often an order is sent again after a server's or transport's failure.
    public var orderRetries: Int
    /// Before the first retry; doubles with each.
    public var retryBackoff: Duration
    /// Whether the platform is told of each launch.
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
