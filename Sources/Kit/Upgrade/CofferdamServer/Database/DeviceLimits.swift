#if Server
/// The limits of what a server keeps for devices.
struct DeviceLimits: Sendable, Hashable {
    /// The number of devices with an open breaker at which webhooks are notified again.
    var breakerAlarm = 100
    /// The time after which a breaker without further reports counts as closed, in milliseconds. Devices repeat three
    /// times in this time that it is open.
    var breakerSilence: Int64 = 30 * 60_000
    /// The maximum number of devices whose breaker of one side and operation is kept for an epoch: one operation's cannot
    /// displace another's.
    var maxBreakers = 10_000
    /// The maximum number of devices whose call durations are kept.
    var maxTimedDevices = 10_000
    /// The maximum number of histogram buckets kept for one device.
    var maxBuckets = 4_000
    /// The maximum number of mismatches kept for an operation, and for one of its fields.
    var maxSamples = 20
    var maxSamplesOfField = 5
}
#endif
