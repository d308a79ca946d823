import Cofferdam
import SanctuaryDomain

/// What V1 has kept because it could not be sent, and takes over of what V2 has kept, before it sends.
final class UnsentMessages: Sendable {
    let tried: TriedMessages
    private let successor: SuccessorOutbox
    private let beforeSending: MenagerieV1Configuration.BeforeSending
    private let issues: IssueSink
    private let told = Mutex<Set<String>>([])

    init(_ configuration: MenagerieV1Configuration) {
        tried = TriedMessages(directory: configuration.directory)
        successor = SuccessorOutbox(directory: configuration.directory)
        beforeSending = configuration.beforeSending
        issues = configuration.issues
    }

    /// Takes over what V2 has kept, if that may be. What stays with V2 is told as an issue, once.
    ///
    /// - Returns: to be called when the sending has ended.
    /// - Throws: `CancellationError`.
    func prepare() async throws -> @Sendable () -> Void {
        try await beforeSending { [self] mayTakeOver in
            guard mayTakeOver else { return }
            do throws(SanctuaryError) {
                for key in try successor.handOver() {
                    tell("nobody knows whether V2 has sent it: it stays with V2", at: "message", key)
                }
            } catch {
                tell("V2's state stays where it is: \(error.message)", at: error.subject ?? "", "")
            }
        }
    }

    private func tell(_ what: String, at path: String, _ raw: String) {
        guard told.withLock({ $0.insert("\(what) \(path) \(raw)").inserted }) else { return }
        issues.report([TranslationIssue(what, at: path, raw: raw, severity: .warning)], of: "unsent")
    }
}
