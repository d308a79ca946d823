/// Limits for what a server keeps of devices.
package struct DeviceLimits: Sendable, Hashable {
    /// On how many devices a breaker is open when webhooks are told again.
    package var breakerAlarm = 100
    /// A breaker of which a server hears nothing for longer counts as closed, in milliseconds. Devices repeat that it is
    /// open three times in this time.
    package var breakerSilence: Int64 = 30 * 60_000
    /// How many breakers are kept of an epoch, over all devices.
    package var maxBreakers = 100_000
    /// Of how many devices the durations of calls are kept.
    package var maxTimedDevices = 10_000
    /// How many buckets of histograms are kept of one device.
    package var maxBuckets = 4_000
    /// How many mismatches are kept of an operation, and of one of its fields.
    package var maxSamples = 20
    package var maxSamplesOfField = 5

    package init() {}
}
