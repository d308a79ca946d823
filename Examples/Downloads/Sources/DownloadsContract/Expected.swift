import Cofferdam
import CofferdamContracts
import DownloadsPort
import DownloadsTable

/// The errors that every adapter's port must throw for the server's faults; deliberately not derived from the adapters'
/// own mapping.
enum Expected {
    static let deadline: Duration = .seconds(30)

    static let statuses = [
        FaultExpectation(.status(400), "invalidRequest", isRetryable: false),
        FaultExpectation(.status(401), "forbidden", isRetryable: false),
        FaultExpectation(.status(403), "forbidden", isRetryable: false),
        FaultExpectation(.status(404), "notFound", isRetryable: false),
        FaultExpectation(.status(409), "unknown", isRetryable: false),
        FaultExpectation(.status(412), "unknown", isRetryable: false),
        FaultExpectation(.status(422), "invalidRequest", isRetryable: false),
        FaultExpectation(.status(429), "rateLimited", isRetryable: true),
        FaultExpectation(.status(500), "unavailable", isRetryable: true),
        FaultExpectation(.status(502), "unavailable", isRetryable: true),
        FaultExpectation(.status(503), "unavailable", isRetryable: true),
        FaultExpectation(.status(504), "timeout", isRetryable: true),
        FaultExpectation(.status(999), "unknown", isRetryable: false),
    ]

    static let faults = [
        FaultExpectation(.reset, "unreachable", isRetryable: true),
        FaultExpectation(.emptyReply, "unreachable", isRetryable: true),
        FaultExpectation(.truncated, "truncated", isRetryable: true),
        FaultExpectation(.wrongLength(by: 10), "truncated", isRetryable: true),
        FaultExpectation(.malformedChunk, "truncated", isRetryable: true),
        FaultExpectation(.garbage, "unreadable", isRetryable: false),
        FaultExpectation(.html, "unreadable", isRetryable: false),
        FaultExpectation(.redirectLoop, "unknown", isRetryable: false),
        FaultExpectation(.status(403), "forbidden", isRetryable: false),
        FaultExpectation(.status(404), "notFound", isRetryable: false),
        FaultExpectation(.status(422), "invalidRequest", isRetryable: false),
        FaultExpectation(.status(429), "rateLimited", isRetryable: true),
        FaultExpectation(.status(503), "unavailable", isRetryable: true),
        FaultExpectation(.status(504), "timeout", isRetryable: true),
    ]

    static let addresses: [DeadAddress: PortFailure] = [
        .noSuchHost: PortFailure(category: "unreachable", isRetryable: true),
        .refused: PortFailure(category: "unreachable", isRetryable: true),
        .tlsFailure: PortFailure(category: "unreachable", isRetryable: true),
    ]

    static func failure(_ error: any Error) -> PortFailure? {
        (error as? DownloadsError).map {
            PortFailure(category: $0.code.rawValue, isRetryable: $0.isRetryable, retryAfter: $0.retryAfter)
        }
    }

    static func code(of error: any Error) -> DownloadsError.Code? { (error as? DownloadsError)?.code }
}

/// An operation, with the controls and evidence of its server.
struct WiredCall {
    let probed: ProbedCall<DownloadsSubject>
    let faulty: FaultyCall<DownloadsSubject>

    static let name = "wired"

    static let all = [
        WiredCall(Calls.file, .read, request: "file") { _ in name },
        WiredCall(Calls.files, .read, request: "files") { _ in ListQuery(limit: 10) },
        WiredCall(Calls.download, .idempotent, request: "bytes") { (name, "\($0.directory)/wired", { _ in }) },
    ]

    private init<Input: Sendable, Output: Sendable>(
        _ call: PortCall<DownloadsSubject, Input, Output>,
        _ effect: Effect,
        request: String,
        input: @escaping @Sendable (DownloadsSubject) -> Input
    ) {
        probed = ProbedCall(
            AnyPortCall(call, input: input),
            isReading: effect == .read,
            repetition: .harmless,
            inject: { try await $0.vendor.inject($1, on: request, times: $2) },
            arrivals: { try await $0.vendor.arrivals(of: request) },
            waitForArrivals: { try await $0.vendor.waitForArrivals(of: request, atLeast: $1) }
        )
        faulty = FaultyCall(
            call,
            effect: effect,
            input: input,
            inject: { try await $0.vendor.inject($1, on: request, times: .max) },
            clear: { try await $0.vendor.clearFaults() },
            arrivals: { try await $0.vendor.arrivals(of: request) }
        )
    }
}
