/// A request on its way to the loop, with the one who waits for it.
struct Submission: Sendable {
    enum Waiter: Sendable {
        case whole(CheckedContinuation<CurlReply, any Error>)
        case stream(CheckedContinuation<CurlStream, any Error>)

        func fail(_ error: any Error) {
            switch self {
            case .whole(let continuation): continuation.resume(throwing: error)
            case .stream(let continuation): continuation.resume(throwing: error)
            }
        }
    }

    let id: TransferID
    let request: PreparedRequest
    let waiter: Waiter
    let submitted: ContinuousClock.Instant
}
