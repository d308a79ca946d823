public import Cofferdam  // the waits are its Backoff

/// How long, and how often, a connection that is made again and again waits: ``CurlClient/serverSentEvents(_:reconnect:)``
/// and ``CurlClient/longPoll(_:reconnect:next:)``.
public struct ReconnectPolicy: Sendable, Hashable {
    /// The waits, by the number of the attempt. The wait that the server asks for by `retry` replaces the initial one,
    /// and no wait is then shorter.
    public var backoff: Backoff
    /// How many attempts in a row may bring nothing, before the last one's failure is thrown; `nil` for no bound.
    ///
    /// Attempts after the first connection are counted, and from 0 again when something has arrived.
    public var maximumAttempts: Int?
    /// The longest wait that the server may ask for, by an event stream's `retry` or by `Retry-After`: a longer one is
    /// cut to it.
    public var maximumServerWait: Duration

    public init(
        backoff: Backoff = Backoff(initial: .seconds(1), factor: 2, maximum: .seconds(30), jitter: 1),
        maximumAttempts: Int? = nil,
        maximumServerWait: Duration = .seconds(600)
    ) {
        self.backoff = backoff
        self.maximumAttempts = maximumAttempts
        self.maximumServerWait = maximumServerWait
    }
}
