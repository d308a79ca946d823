import Cofferdam

/// How a vendor's fault must appear at the port of every adapter, and whether the same call may succeed later.
///
/// Adapters are checked against this data, which is deliberately not derived from the port's own mapping.
///
/// ```swift
/// FaultExpectation(.vendorSpecific("READONLY"), "forbidden", isRetryable: false)
/// FaultExpectation(.reset, "unreachable", isRetryable: true, onWrites: "outcomeUnknown")
/// ```
public struct FaultExpectation: Sendable, Hashable {
    package let fault: VendorFault
    /// The category of the port's error, as the port names it: "unavailable".
    package let category: String
    package let isRetryable: Bool
    /// The category if the call changes something each time and may have done so despite the fault; a retry cannot help
    /// then. Nil if it is the same category.
    let categoryOnWrites: String?
    /// Whether the answer does not arrive, or breaks off; ERR-03 is about such faults.
    package let breaksConnection: Bool

    /// Expects a category for a fault.
    ///
    /// - Parameters:
    ///   - onWrites: the category if the call changes something: after a lost answer the outcome is unknown.
    ///   - breaksConnection: whether the answer does not arrive, or breaks off; nil for what the kit knows about the
    ///     fault.
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

    /// The error that the fault must cause in a call of this effect.
    func failure(of effect: Effect) -> PortFailure {
        // A call that may be repeated can be retried, like one that only reads.
        guard effect == .write || effect == .exclusive, let categoryOnWrites else {
            return PortFailure(category: category, isRetryable: isRetryable)
        }
        return PortFailure(category: categoryOnWrites, isRetryable: false)
    }
}

extension VendorFault {
    /// Whether the answer does not arrive, or breaks off.
    fileprivate var breaksConnection: Bool {
        switch self {
        case .reset, .emptyReply, .garbage, .malformedChunk, .truncated: true
        default: false
        }
    }
}

/// A port's error, as the rule families read it.
public struct PortFailure: Sendable, Hashable {
    /// The port's name for the error: "unavailable".
    var category: String
    /// Whether the port says that another try may succeed.
    var isRetryable: Bool
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
    /// The vendor speaks HTTP: its faults include statuses, HTML pages, redirections and `Retry-After`.
    public static let http: CapabilityTag = "http"
}
