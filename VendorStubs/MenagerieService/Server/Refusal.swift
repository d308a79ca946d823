#if Sandbox
/// The reason the platform refuses a call, before an API words it.
struct Refusal: Error, Sendable, Hashable {
    enum Reason: Sendable, Hashable {
        case badRequest, invalidCursor, unauthenticated, tokenExpired, tokenReused, forbidden, signatureExpired
        case notFound, methodNotAllowed, conflict, alreadyLinked, anotherActive, tooLarge, validation, rateLimited
        case unavailable
        /// A status injected by the control interface.
        case status(Int)
    }

    let reason: Reason
    /// In English.
    let message: String
    /// The invalid field of the request.
    let field: String?
    /// The wait before the client may try again.
    let retryAfter: Duration?

    init(_ reason: Reason, _ message: String, field: String? = nil, retryAfter: Duration? = nil) {
        self.reason = reason
        self.message = message
        self.field = field
        self.retryAfter = retryAfter
    }

    /// Creates a refusal for a status injected by the control interface.
    init(injected status: Int, retryAfter: Duration?) {
        let reason: Reason =
            switch status {
            case 400: .badRequest
            case 401: .unauthenticated
            case 403: .forbidden
            case 404: .notFound
            case 409: .conflict
            case 413: .tooLarge
            case 422: .validation
            case 429: .rateLimited
            case 503: .unavailable
            default: .status(status)
            }
        self.init(reason, "injected", retryAfter: retryAfter)
    }

    var status: Int {
        switch reason {
        case .badRequest, .invalidCursor: 400
        case .unauthenticated, .tokenExpired, .tokenReused: 401
        case .forbidden, .signatureExpired: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .conflict, .alreadyLinked, .anotherActive: 409
        case .tooLarge: 413
        case .validation: 422
        case .rateLimited: 429
        case .unavailable: 503
        case .status(let status): status
        }
    }
}
#endif
