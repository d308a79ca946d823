import CofferdamContracts
import SanctuaryDomain

/// What a fault must be at the port of every adapter, and whether the same call may succeed later (ERR-02, ERR-04).
///
/// Data that adapters are held against, on purpose not made from the domain's own mapping.
struct FaultExpectation: Sendable {
    let fault: VendorFault
    let code: SanctuaryError.Code
    let isRetryable: Bool

    init(_ fault: VendorFault, _ code: SanctuaryError.Code, isRetryable: Bool) {
        self.fault = fault
        self.code = code
        self.isRetryable = isRetryable
    }

    /// Every status that the contract names, and one that nobody has heard of.
    static let statuses = [
        FaultExpectation(.status(400), .invalidRequest, isRetryable: false),
        FaultExpectation(.status(401), .authenticationRequired, isRetryable: false),
        FaultExpectation(.status(403), .forbidden, isRetryable: false),
        FaultExpectation(.status(404), .notFound, isRetryable: false),
        FaultExpectation(.status(409), .conflict, isRetryable: false),
        FaultExpectation(.status(412), .conflict, isRetryable: false),
        FaultExpectation(.status(422), .invalidRequest, isRetryable: false),
        FaultExpectation(.status(429), .rateLimited, isRetryable: true),
        FaultExpectation(.status(500), .unavailable, isRetryable: true),
        FaultExpectation(.status(502), .unavailable, isRetryable: true),
        FaultExpectation(.status(503), .unavailable, isRetryable: true),
        FaultExpectation(.status(504), .timeout, isRetryable: true),
        FaultExpectation(.status(999), .unknown, isRetryable: false),
    ]

    /// Faults of each kind, one for each category that a vendor's fault can fall into.
    static let faultTable = [
        FaultExpectation(.reset, .unreachable, isRetryable: true),
        FaultExpectation(.truncated, .truncated, isRetryable: true),
        FaultExpectation(.garbage, .decoding, isRetryable: false),
        FaultExpectation(.html, .decoding, isRetryable: false),
        FaultExpectation(.status(403), .forbidden, isRetryable: false),
        FaultExpectation(.status(404), .notFound, isRetryable: false),
        FaultExpectation(.status(409), .conflict, isRetryable: false),
        FaultExpectation(.status(422), .invalidRequest, isRetryable: false),
        FaultExpectation(.status(429, retryAfter: .seconds(7)), .rateLimited, isRetryable: true),
        FaultExpectation(.status(503), .unavailable, isRetryable: true),
        FaultExpectation(.status(504), .timeout, isRetryable: true),
    ]
}
