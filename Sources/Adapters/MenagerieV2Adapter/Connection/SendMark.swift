#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// Records whether a request that must not happen twice was handed to the vendor, so that a later failure is reported
/// as an unknown outcome.
final class SendMark: Sendable {
    private let isSent = Mutex(false)

    /// Marks the request as sent and makes the call.
    func sending<Value: Sendable>(_ call: @Sendable () async throws -> Value) async throws -> Value {
        isSent.withLock { $0 = true }
        do {
            return try await call()
        } catch {
            if !Self.leavesOpen(error) { isSent.withLock { $0 = false } }
            throw error
        }
    }

    /// Returns the error to report for a failure.
    func meaning(of error: any Error) -> any Error {
        guard isSent.withLock({ $0 }), Self.leavesOpen(error) else { return error }
        var unknown = SanctuaryError(.outcomeUnknown, "it was sent, and no answer came")
        switch error {
        case MenagerieError.transport(let failure):
            unknown.cause = .init(
                domain: "MenagerieV2.transport",
                code: failure.kind.rawValue,
                message: failure.message
            )
        case MenagerieError.decoding(let path, let message):
            unknown.subject = path.isEmpty ? nil : path
            unknown.cause = .init(domain: "MenagerieV2", code: "decoding", message: message)
        case MenagerieError.server(_, let reply):
            unknown.message = "it was sent, and the vendor answers with status \(reply.status)"
            unknown.cause = .init(domain: "HTTP", code: reply.code ?? "\(reply.status)", message: reply.message)
        case let issue as TranslationIssue:
            unknown.subject = issue.path
            unknown.message = "it was sent, and the answer cannot be read: \(issue.what)"
        default: break
        }
        return unknown
    }

    /// Whether the vendor may have acted despite the error.
    static func leavesOpen(_ error: any Error) -> Bool {
        switch error {
        case is DeadlineExceeded, is CancellationError, MenagerieError.cancelled: true
        // There is an answer, but it cannot be read.
        case MenagerieError.decoding, is TranslationIssue: true
        // A redirect or an undefined status is neither a success nor a refusal.
        case MenagerieError.server(_, let reply): SanctuaryError.Code(status: reply.status) == .unknown
        // Without a connection nothing was sent.
        case MenagerieError.transport(let failure): failure.wasSent ?? (failure.kind != .offline)
        default: false
        }
    }
}
#endif
