/// What a fault of the vendor's must be at the port of every adapter, and whether the same call may succeed later.
///
/// Data that adapters are held against, on purpose not made from the port's own mapping.
public struct FaultExpectation: Sendable, Hashable {
    public let fault: VendorFault
    /// The category of the port's error, as the port names it: "unavailable".
    public let category: String
    public let isRetryable: Bool

    public init(_ fault: VendorFault, _ category: String, isRetryable: Bool) {
        self.fault = fault
        self.category = category
        self.isRetryable = isRetryable
    }
}

/// A port's error, as the families of rules read it.
public struct PortFailure: Sendable, Hashable {
    /// As the port names it: "unavailable".
    public var category: String
    public var isRetryable: Bool
    /// How long the vendor asks to wait before another try.
    public var retryAfter: Duration?

    public init(category: String, isRetryable: Bool, retryAfter: Duration? = nil) {
        self.category = category
        self.isRetryable = isRetryable
        self.retryAfter = retryAfter
    }
}
