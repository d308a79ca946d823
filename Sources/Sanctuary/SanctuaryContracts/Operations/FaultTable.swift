import CofferdamContracts
import SanctuaryDomain

/// The errors that every adapter's ports must throw for each fault (ERR-01 to ERR-05).
enum FaultTable {
    /// Every status that the contract names, and one that is not defined.
    static let statuses = [
        expectation(.status(400), .invalidRequest, isRetryable: false),
        expectation(.status(401), .authenticationRequired, isRetryable: false),
        expectation(.status(403), .forbidden, isRetryable: false),
        expectation(.status(404), .notFound, isRetryable: false),
        expectation(.status(409), .conflict, isRetryable: false),
        expectation(.status(412), .conflict, isRetryable: false),
        expectation(.status(422), .invalidRequest, isRetryable: false),
        expectation(.status(429), .rateLimited, isRetryable: true),
        expectation(.status(500), .unavailable, isRetryable: true),
        expectation(.status(502), .unavailable, isRetryable: true),
        expectation(.status(503), .unavailable, isRetryable: true),
        expectation(.status(504), .timeout, isRetryable: true),
        expectation(.status(999), .unknown, isRetryable: false, onWrites: .outcomeUnknown),
    ]

    /// One fault of each category.
    static let faults = [
        expectation(.reset, .unreachable, isRetryable: true, onWrites: .outcomeUnknown),
        expectation(.emptyReply, .unreachable, isRetryable: true, onWrites: .outcomeUnknown),
        expectation(.truncated, .truncated, isRetryable: true, onWrites: .outcomeUnknown),
        expectation(.wrongLength(by: 10), .truncated, isRetryable: true, onWrites: .outcomeUnknown),
        expectation(.garbage, .decoding, isRetryable: false, onWrites: .outcomeUnknown),
        expectation(.malformedChunk, .decoding, isRetryable: false, onWrites: .outcomeUnknown),
        expectation(.html, .decoding, isRetryable: false, onWrites: .outcomeUnknown),
        expectation(.redirectLoop, .unknown, isRetryable: false, onWrites: .outcomeUnknown),
        expectation(.status(403), .forbidden, isRetryable: false),
        expectation(.status(404), .notFound, isRetryable: false),
        expectation(.status(409), .conflict, isRetryable: false),
        expectation(.status(422), .invalidRequest, isRetryable: false),
        expectation(.status(429), .rateLimited, isRetryable: true),
        expectation(.status(503), .unavailable, isRetryable: true),
        expectation(.status(504), .timeout, isRetryable: true),
    ]

    private static func expectation(
        _ fault: VendorFault,
        _ code: SanctuaryError.Code,
        isRetryable: Bool,
        onWrites: SanctuaryError.Code? = nil
    ) -> FaultExpectation {
        FaultExpectation(fault, code.rawValue, isRetryable: isRetryable, onWrites: onWrites?.rawValue)
    }
}
