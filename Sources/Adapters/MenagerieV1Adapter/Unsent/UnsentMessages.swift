#if Sandbox
import Cofferdam
import SanctuaryDomain

/// V1's unsent messages, and those it takes over from V2 before it sends.
final class UnsentMessages: Sendable {
    let tried: TriedMessages
    /// Passed by one call at a time that sends the unsent messages.
    let turnstile = AsyncMutex()
    private let successor: SuccessorOutbox
    private let beforeSending: MenagerieV1Configuration.BeforeSending
    private let issues: IssueSink
    private let reported = Mutex<Set<String>>([])

    init(_ configuration: MenagerieV1Configuration) {
        tried = TriedMessages(directory: configuration.directory)
        successor = SuccessorOutbox(directory: configuration.directory, now: configuration.now)
        beforeSending = configuration.beforeSending
        issues = configuration.issues
    }

    /// Takes over V2's unsent messages, if allowed. Messages that stay with V2 are reported as issues, once.
    ///
    /// - Returns: a closure to call when sending has ended.
    /// - Throws: `CancellationError`.
    func prepare() async throws -> @Sendable () -> Void {
        try await beforeSending { [self] mayTakeOver in
            guard mayTakeOver else { return }
            do throws(SanctuaryError) {
                for key in try successor.handOver() {
                    report("it is unknown whether V2 has sent it: it stays with V2", at: "message", key)
                }
            } catch {
                report("V2's state stays where it is: \(error.message)", at: error.subject ?? "", "")
            }
        }
    }

    /// Whether a message that was unsent has arrived since: the SDK removes it then. Not known of an outbox that cannot
    /// be read now.
    func hasLeft(_ key: String) -> Bool {
        do throws(SanctuaryError) { return try !successor.keeps(key) } catch { return false }
    }

    /// Drops an unsent message that the vendor refuses, and reports it as an issue.
    ///
    /// - Throws: a ``SanctuaryError`` that names the file.
    func drop(_ key: String, _ refusal: SanctuaryError) throws(SanctuaryError) {
        try successor.drop(key)
        report("it was kept, and the vendor refuses it: \(refusal)", at: "message", key)
    }

    private func report(_ what: String, at path: String, _ raw: String) {
        guard reported.withLock({ $0.insert("\(what) \(path) \(raw)").inserted }) else { return }
        issues.report([TranslationIssue(what, at: path, raw: raw, severity: .warning)], of: "unsent")
    }
}
#endif
