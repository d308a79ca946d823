public import CofferdamContracts  // powers are its

/// What one adapter's probe can do and another's cannot.
extension ProbePower {
    /// The vendor's SDK calls back, and can be told to do so oddly.
    public static let oddCallbacks: ProbePower = "oddCallbacks"
    /// The vendor can end a stream in order.
    public static let orderlyEnd: ProbePower = "orderlyEnd"
    /// The adapter tells how many events it has dropped for slow subscribers.
    public static let countedDrops: ProbePower = "countedDrops"
}
