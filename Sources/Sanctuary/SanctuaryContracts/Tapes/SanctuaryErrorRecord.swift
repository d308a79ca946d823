public import CofferdamContracts  // errors are recorded by the kit
import SanctuaryDomain

/// A ``SanctuaryError`` on a tape.
public struct SanctuaryErrorRecord: TapeErrorRecord {
    private var code: String
    private var message: String
    private var subject: String?
    private var retryAfter: Duration?
    private var cause: Cause?

    private struct Cause: Codable {
        var domain: String
        var code: String
        var message: String
    }

    public init?(_ error: any Error) {
        guard let error = error as? SanctuaryError else { return nil }
        code = error.code.rawValue
        message = error.message
        subject = error.subject
        retryAfter = error.retryAfter
        cause = error.cause.map { Cause(domain: $0.domain, code: $0.code, message: $0.message) }
    }

    public var error: any Error {
        SanctuaryError(
            SanctuaryError.Code(rawValue: code),
            message,
            subject: subject,
            retryAfter: retryAfter,
            cause: cause.map { .init(domain: $0.domain, code: $0.code, message: $0.message) }
        )
    }
}
