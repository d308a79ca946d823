public import CofferdamContracts  // powers are required as capabilities are

/// What one adapter's probe can do and another's cannot.
extension CapabilityTag {
    /// The vendor's SDK calls back, and can be told to do so oddly.
    public static let oddCallbacks: CapabilityTag = "oddCallbacks"
    /// The vendor can end a stream in order.
    public static let orderlyEnd: CapabilityTag = "orderlyEnd"
    /// The adapter tells how many events it has dropped for slow subscribers.
    public static let countedDrops: CapabilityTag = "countedDrops"
}
