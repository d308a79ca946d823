#if Sandbox
import Cofferdam
import Foundation
import MenagerieV2
import SanctuaryDomain

/// Converts any error to a port's: a ``SanctuaryError`` or `CancellationError`. No other code does.
///
/// - Parameters:
///   - subject: the subject of the call, if the error does not name one.
///   - now: the current time, to which the vendor's retry date is compared.
func portError(_ error: any Error, subject: String? = nil, now: Instant) -> any Error {
    switch error {
    case is CancellationError, MenagerieError.cancelled:
        return CancellationError()
    case let error as MenagerieError:
        var translated = SanctuaryError(error, now: now)
        translated.subject = translated.subject ?? subject
        return translated
    case var error as SanctuaryError:
        error.subject = error.subject ?? subject
        return error
    case is DeadlineExceeded:
        return SanctuaryError(.timeout, "the vendor did not answer in time", subject: subject)
    case let issue as TranslationIssue:
        return SanctuaryError(.decoding, issue.what, subject: issue.path)
    default:
        return SanctuaryError(.unknown, "an error of type \(type(of: error))", subject: subject)
    }
}

extension SanctuaryError {
    static var servicesClosed: SanctuaryError { SanctuaryError(.closed, "the services have been closed") }

    /// Creates the error for a vendor error other than `cancelled`, which is not a port's error.
    init(_ error: MenagerieError, now: Instant) {
        switch error {
        case .notConfigured:
            self.init(.unknown, "the SDK was not configured")
        case .notSignedIn:
            self.init(.authenticationRequired, "no user is signed in")
        case .notFound(let reply):
            self.init(.notFound, "the vendor has no such thing", reply)
        case .unauthenticated(_, let reply):
            self.init(.authenticationRequired, "the vendor does not accept the session", reply)
        case .forbidden(let reply), .signatureExpired(let reply):
            self.init(.forbidden, "the vendor does not allow it", reply)
        case .invalidCursor(let reply):
            self.init(.invalidCursor, "the vendor does not know the cursor, or no longer", reply)
        case .validation(let field, let reply):
            self.init(.invalidRequest, "the vendor refuses the request", reply)
            subject = field
        case .conflict(let reply), .alreadyLinked(let reply), .anotherActive(let reply):
            self.init(.conflict, "the request conflicts with the vendor's data", reply)
        case .rateLimited(let retryAt, let reply):
            self.init(.rateLimited, "too many calls", reply)
            retryAfter = retryAt.map { Duration.until($0, from: now) }
        case .server(let retryAt, let reply):
            self.init(Code(status: reply.status), "the vendor answers with status \(reply.status)", reply)
            retryAfter = retryAt.map { Duration.until($0, from: now) }
        case .transport(let failure):
            self.init(failure)
        case .decoding(let path, let message):
            self.init(.decoding, "the vendor's answer cannot be read: \(message)", subject: path.isEmpty ? nil : path)
        case .storage(let path, let message):
            self.init(.unknown, "the stored data: \(message)", subject: path)
        case .cancelled:
            self.init(.unknown, "cancelled")
        }
    }

    private init(_ code: Code, _ message: String, _ reply: ServerReply) {
        let cause = Cause(domain: "HTTP", code: reply.code ?? "\(reply.status)", message: reply.message)
        self.init(code, message, cause: cause)
    }

    private init(_ failure: TransportFailure) {
        let (code, message): (Code, String) =
            switch failure.kind {
            case .timeout: (.timeout, "the vendor did not answer in time")
            case .truncated: (.truncated, "the vendor's answer ended early")
            case .closed: (.closed, "the services have been closed")
            case .invalidRequest: (.invalidRequest, "the request cannot be sent")
            case .tooLarge: (.decoding, "the vendor's answer is too large")
            case .offline, .tls, .connectionLost: (.unreachable, "the vendor cannot be reached")
            // Failures for which the vendor has no kind, mostly answers that are not HTTP.
            case .other: (.decoding, "the vendor's answer is not understood")
            }
        let cause = Cause(domain: "MenagerieV2.transport", code: failure.kind.rawValue, message: failure.message)
        self.init(code, message, cause: cause)
    }
}

extension Duration {
    /// Returns the time until `date`; zero if it has passed.
    fileprivate static func until(_ date: Date, from now: Instant) -> Duration {
        guard let instant = Instant(seconds: date.timeIntervalSince1970), instant > now else { return .zero }
        return .milliseconds(instant.millisecondsSince1970 - now.millisecondsSince1970)
    }
}
#endif
