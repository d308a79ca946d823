#if Curl
public import Cofferdam  // the waits are its Backoff

/// How often, and after what waits, a sequence reconnects: ``CurlClient/serverSentEvents(_:reconnect:)`` and
/// ``CurlClient/longPoll(_:reconnect:next:)``.
public struct ReconnectPolicy: Sendable, Hashable {
    /// The waits, by attempt. The server's `retry` replaces the initial wait, and is then also the minimum.
    var backoff: Backoff
    /// The maximum number of consecutive attempts without data, after which the last failure is thrown; `nil` for no
    /// limit.
    ///
    /// Attempts after the first connection count; the counter is reset when data arrives.
    var maximumAttempts: Int?
    /// The longest wait that the server may request with an event stream's `retry` or with `Retry-After`; longer ones
    /// are cut to it.
    var maximumServerWait: Duration

    /// Sets the policy; the default waits start at a second and double up to 30.
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
#endif
