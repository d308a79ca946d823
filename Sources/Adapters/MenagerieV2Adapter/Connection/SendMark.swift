import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// Remembers whether something that must not happen twice has been handed to the vendor, so that a failure afterwards is
/// told as what it is: an outcome that is not known.
final class SendMark: Sendable {
    private let isSent = Mutex(false)

    /// Hands it over.
    func sending<Value: Sendable>(_ call: @Sendable () async throws -> Value) async throws -> Value {
        isSent.withLock { $0 = true }
        do {
            return try await call()
        } catch {
            if !Self.leavesOpen(error) { isSent.withLock { $0 = false } }
            throw error
        }
    }

    /// What is to be told of a failure.
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

    /// Whether the vendor may have done it in spite of the error.
    static func leavesOpen(_ error: any Error) -> Bool {
        switch error {
        case is DeadlineExceeded, is CancellationError, MenagerieError.cancelled: true
        // It has answered, and the answer cannot be read.
        case MenagerieError.decoding, is TranslationIssue: true
        // A redirection, or a status that does not exist, is neither a success nor a refusal.
        case MenagerieError.server(_, let reply): SanctuaryError.Code(status: reply.status) == .unknown
        // Without a connection nothing has left the device.
        case MenagerieError.transport(let failure): failure.wasSent ?? (failure.kind != .offline)
        default: false
        }
    }
}
