public import CofferdamContracts  // harnessCapabilities are its

/// What one adapter's harness can do and another's cannot.
extension HarnessCapability {
    /// An instance can be closed, and another one opened over what it has kept.
    static let relaunch: HarnessCapability = "relaunch"
    /// The vendor's SDK calls back, and can be told to do so oddly.
    public static let oddCallbacks: HarnessCapability = "oddCallbacks"
    /// The vendor can end a stream in order.
    public static let orderlyEnd: HarnessCapability = "orderlyEnd"
    /// The adapter tells how many events it has dropped for slow subscribers.
    public static let countedDrops: HarnessCapability = "countedDrops"
    /// The adapter holds its deadlines against a clock that can be moved on.
    static let adjustableClock: HarnessCapability = "adjustableClock"
    /// Passwords and tokens are known, so that they can be looked for.
    static let knownSecrets: HarnessCapability = "knownSecrets"
}
