extension SanctuaryError.Code {
    /// What an HTTP status means at a port, where the vendor's own code says nothing more exact: one table for every
    /// adapter, so that the same fault is the same error on all of them (ERR-02, ERR-04).
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
