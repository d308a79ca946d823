import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// Remembers whether something that must not happen twice has been handed to the vendor, so that a failure afterwards is
/// told as what it is: nobody knows.
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
        // It has answered, and nobody can read what.
        case MenagerieError.decoding, is TranslationIssue: true
        // Without a connection nothing has left the device.
        case MenagerieError.transport(let failure): failure.wasSent ?? (failure.kind != .offline)
        default: false
        }
    }
}
