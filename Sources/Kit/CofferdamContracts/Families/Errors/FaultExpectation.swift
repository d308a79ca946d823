import Cofferdam

/// What a fault of the vendor's must be at the port of every adapter, and whether the same call may succeed later.
///
/// Data that adapters are held against, on purpose not made from the port's own mapping.
///
/// ```swift
/// FaultExpectation(.own("READONLY"), "forbidden", isRetryable: false)
/// FaultExpectation(.reset, "unreachable", isRetryable: true, onWrites: "outcomeUnknown")
/// ```
public struct FaultExpectation: Sendable, Hashable {
    package let fault: VendorFault
    /// The category of the port's error, as the port names it: "unavailable".
    package let category: String
    package let isRetryable: Bool
    /// The category where the call changes something each time, and may have done so in spite of the fault; a retry cannot help
    /// then.
    /// Nil: the same.
    let categoryOnWrites: String?
    /// Whether the answer does not come, or breaks off: ERR-03 is about those.
    package let breaksConnection: Bool

    /// - Parameters:
    ///   - onWrites: the category where the call changes something: after a lost answer the outcome is unknown.
    ///   - breaksConnection: whether the answer does not come, or breaks off; of the faults that the kit knows, it knows that.
    public init(
        _ fault: VendorFault,
        _ category: String,
        isRetryable: Bool,
        onWrites: String? = nil,
        breaksConnection: Bool? = nil
    ) {
        self.fault = fault
        self.category = category
        self.isRetryable = isRetryable
        categoryOnWrites = onWrites
        self.breaksConnection = breaksConnection ?? fault.breaksConnection
    }

    /// What it must be at a call of this effect.
    func failure(of effect: Effect) -> PortFailure {
        // What may be done twice can be tried again, as what only reads can.
        guard effect == .write || effect == .exclusive, let categoryOnWrites else {
            return PortFailure(category: category, isRetryable: isRetryable)
        }
        return PortFailure(category: categoryOnWrites, isRetryable: false)
    }
}

extension VendorFault {
    /// Whether the answer does not come, or breaks off.
    fileprivate var breaksConnection: Bool {
        switch self {
        case .reset, .emptyReply, .garbage, .malformedChunk, .truncated: true
        default: false
        }
    }
}

/// A port's error, as the families of rules read it.
public struct PortFailure: Sendable, Hashable {
    /// The port's name for the error: "unavailable".
    public var category: String
    /// Whether the port says that another try may succeed.
    public var isRetryable: Bool
    /// How long the vendor asks to wait before another try.
    public var retryAfter: Duration?

    /// Describes an error in the port's terms.
    ///
    /// - Parameters:
    ///   - category: the port's name for the error: "unavailable".
    ///   - retryAfter: how long the vendor asks to wait before another try.
    public init(category: String, isRetryable: Bool, retryAfter: Duration? = nil) {
        self.category = category
        self.isRetryable = isRetryable
        self.retryAfter = retryAfter
    }
}

extension CapabilityTag {
    /// The vendor speaks HTTP: statuses, pages of HTML, redirections and `Retry-After` are faults that it can have.
    public static let http: CapabilityTag = "http"
}
