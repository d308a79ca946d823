extension SanctuaryError.Code {
    /// Creates the code for an HTTP status, if the vendor's own code says nothing more specific: one table for all
    /// adapters, so that the same fault is the same error in all of them (ERR-02, ERR-04).
    public init(status: Int) {
        self =
            switch status {
            case 401: .authenticationRequired
            case 403: .forbidden
            case 404: .notFound
            case 408, 504: .timeout
            case 409, 412: .conflict
            case 429: .rateLimited
            case 400...499: .invalidRequest
            case 500...599: .unavailable
            default: .unknown
            }
    }
}
