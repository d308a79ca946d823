#if Sandbox
import Cofferdam
import Foundation
import MenagerieV1
import SanctuaryDomain

extension SanctuaryError {
    /// Converts a vendor error. No other code does. The error's texts are kept, but never compared.
    init(_ error: NSError, effect: Vendor.Effect = .reads) {
        let field = error.userInfo[MenagerieFieldKey] as? String
        let keyPath = error.userInfo[MenagerieKeyPathKey] as? String
        self.init(
            Code(error, effect),
            error.localizedDescription,
            subject: [field, keyPath].compactMap { $0 }.first { !$0.isEmpty },
            retryAfter: (error.userInfo[MenagerieRetryAfterKey] as? NSNumber).flatMap(Duration.init(retryAfter:)),
            cause: Cause(
                domain: error.domain,
                code: (error.userInfo[MenagerieServerCodeKey] as? NSNumber)?.stringValue ?? String(error.code),
                message: error.localizedDescription
            )
        )
    }

    /// Creates the error for a value that could not be translated.
    init(_ issue: TranslationIssue) {
        self.init(.decoding, "\(issue.what): \(issue.raw)", subject: issue.path)
    }
}

extension SanctuaryError {
    /// Whether the vendor has answered that what the request holds is invalid: it is then refused each time. A 4xx
    /// without this code may be a proxy's, and says nothing about what the request holds.
    var isRefusalByVendor: Bool { code == .invalidRequest && cause?.code == "4220" }
}

extension Vendor.Effect {
    /// Whether a change may have been made although its call threw `error`.
    static func leavesOpen(_ error: any Error) -> Bool {
        guard let error = error as? SanctuaryError else { return true }
        return !refusals.contains(error.code)
    }

    /// Errors that mean the vendor was not reached or has refused. After an internal error it may have made the change.
    private static let refusals: Set<SanctuaryError.Code> = [
        .unreachable, .rateLimited, .authenticationRequired, .forbidden, .invalidRequest, .conflict, .notFound,
    ]
}

extension SanctuaryError.Code {
    fileprivate init(_ error: NSError, _ effect: Vendor.Effect) {
        guard error.domain == MenagerieErrorDomain else {
            self = effect.unanswered(.unknown)
            return
        }
        guard let code = MenagerieErrorCode(rawValue: error.code) else {
            // The vendor's code for "forbidden".
            let isForbidden = (error.userInfo[MenagerieServerCodeKey] as? NSNumber)?.intValue == 4013
            // A redirect or an undefined status is neither a success nor a refusal.
            let code = SanctuaryError.Code(status: error.code)
            self = isForbidden ? .forbidden : code == .unknown ? effect.unanswered(code) : code
            return
        }
        let wasSent = (error.userInfo[MenagerieRequestWasSentKey] as? NSNumber)?.boolValue ?? false
        self =
            switch code {
            case _ where effect == .changes && wasSent: .outcomeUnknown
            case .notConnected: .unreachable
            case .timedOut: .timeout
            case .incompleteResponse: .truncated
            // There is an answer, so the request was sent.
            case .badResponse: effect.unanswered(.decoding)
            case .badRequest: .invalidRequest
            case .storage, .cancelled: .unknown
            }
    }
}

extension Duration {
    /// Returns nil for an implausible wait.
    fileprivate init?(retryAfter seconds: NSNumber) {
        guard (0...31_536_000).contains(seconds.doubleValue) else { return nil }
        self = .seconds(seconds.doubleValue)
    }
}
#endif
