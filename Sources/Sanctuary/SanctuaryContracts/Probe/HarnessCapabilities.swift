public import CofferdamContracts  // HarnessCapability is extended

/// The capabilities that some adapters' harnesses have and others lack.
extension HarnessCapability {
    /// An instance can be closed and another one opened over its stored state.
    static let relaunch: HarnessCapability = "relaunch"
    /// The vendor's SDK uses callbacks, which the harness can make misbehave.
    public static let oddCallbacks: HarnessCapability = "oddCallbacks"
    /// The vendor can end a stream without an error.
    public static let orderlyEnd: HarnessCapability = "orderlyEnd"
    /// The adapter reports how many events it has dropped for slow subscribers.
    public static let countedDrops: HarnessCapability = "countedDrops"
    /// The adapter measures its deadlines with a clock that the harness can advance.
    static let adjustableClock: HarnessCapability = "adjustableClock"
    /// The harness knows passwords and tokens, and can search for them.
    static let knownSecrets: HarnessCapability = "knownSecrets"
}
