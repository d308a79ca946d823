#if Sandbox
import Foundation

/// The domain of every error of this SDK. Its code is the HTTP status the server gave, or one of ``MenagerieErrorCode``.
public let MenagerieErrorDomain = "MenagerieErrorDomain"

/// Codes of errors that are not an HTTP status.
public enum MenagerieErrorCode: Int {
    /// The server could not be reached, or the connection was lost.
    case notConnected = -1
    case timedOut = -2
    /// The answer ended before it was complete.
    case incompleteResponse = -3
    /// The answer is malformed; see ``MenagerieKeyPathKey``.
    case badResponse = -4
    /// The request could not be made from the arguments.
    case badRequest = -5
    /// The state directory cannot be read or written.
    case storage = -6
    case cancelled = -999
}

/// The server's own code, an `NSNumber`: 4013 is "forbidden", though its status is 401.
public let MenagerieServerCodeKey = "MenagerieServerCode"
/// Seconds to wait before the next try, an `NSNumber`.
public let MenagerieRetryAfterKey = "MenagerieRetryAfter"
/// The invalid field of the request, a string.
public let MenagerieFieldKey = "MenagerieField"
/// The path of the malformed part of the answer, a string.
public let MenagerieKeyPathKey = "MenagerieKeyPath"
/// Whether the request had been sent when the connection was lost, an `NSNumber` of a `Bool`.
public let MenagerieRequestWasSentKey = "MenagerieRequestWasSent"

extension NSError {
    static func menagerie(_ code: MenagerieErrorCode, _ text: String, _ more: [String: Any] = [:]) -> NSError {
        menagerie(code.rawValue, text, more)
    }

    static func menagerie(_ code: Int, _ text: String, _ more: [String: Any] = [:]) -> NSError {
        var userInfo = more
        userInfo[NSLocalizedDescriptionKey] = text
        return NSError(domain: MenagerieErrorDomain, code: code, userInfo: userInfo)
    }
}
#endif
