#if Sandbox
import Cofferdam
import Foundation
@preconcurrency import MenagerieV1  // its requests may be cancelled from any thread, but are not marked Sendable
import SanctuaryDomain

/// The SDK as the ports use it: calls made async, one at a time, bounded by the deadline, with the domain's errors.
struct Vendor: Sendable {
    let lifetime = Lifetime()
    let chatListeners = ChatListeners()
    let issues: IssueSink
    let deadline: Duration
    let clock: any Clock<Duration>

    init(_ configuration: MenagerieV1Configuration) {
        issues = configuration.issues
        deadline = configuration.deadline
        clock = configuration.clock
    }

    /// The effect of a call at the vendor.
    enum Effect: Sendable {
        case reads
        /// Without a readable answer, the change may or may not have been made.
        case changes

        /// Returns the error of a call without an answer, or with a meaningless one.
        func unanswered(_ code: SanctuaryError.Code, _ text: String) -> SanctuaryError {
            SanctuaryError(unanswered(code), text)
        }

        func unanswered(_ code: SanctuaryError.Code) -> SanctuaryError.Code {
            self == .reads ? code : .outcomeUnknown
        }
    }

    /// Makes a call and translates its answer.
    ///
    /// - Parameters:
    ///   - user: the user who must still be signed in when the call starts, for calls that the vendor does not
    ///     authorise by the token alone.
    ///   - subject: the subject of the call, which a `notFound` error names.
    ///   - start: makes the vendor's call and passes on its callback's arguments: a value, an error, or neither.
    ///   - translate: converts the vendor's value into the domain's, on the vendor's callback queue.
    func call<Answer, Value: Sendable>(
        _ effect: Effect = .reads,
        as user: String? = nil,
        of subject: String? = nil,
        _ start: @escaping @Sendable (Menagerie, @escaping @Sendable (Answer?, NSError?) -> Void) -> MenagerieRequest,
        translate: @escaping @Sendable (Answer) throws(SanctuaryError) -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        do {
            return try await within(deadline) { [lifetime] in
                try await vendorCall { complete in
                    guard user == nil || user == Menagerie.shared.session?.userID else {
                        complete(.failure(Lifetime.signedOut))
                        return .none
                    }
                    let id = lifetime.enter(.services) { complete(.failure(effect.unanswered($0.code, $0.message))) }
                    guard let id else {
                        complete(.failure(Lifetime.closed))
                        return .none
                    }
                    let request = start(Menagerie.shared) { @Sendable answer, error in
                        lifetime.leave(id)
                        complete(Self.outcome(answer, error, effect, translate).mapError { $0 })
                    }
                    return VendorCancellation {
                        lifetime.leave(id)
                        request.cancel()
                    }
                }
            }
        } catch var error as SanctuaryError where error.code == .notFound {
            error.subject = subject
            throw error
        } catch is VendorDroppedCallback {
            throw effect.unanswered(.unknown, "the vendor has not called back")
        } catch is DeadlineExceeded {
            throw effect.unanswered(.timeout, "no answer within \(deadline)")
        }
    }

    /// Makes a call that returns no value.
    func call(
        _ effect: Effect = .reads,
        of subject: String? = nil,
        _ start: @escaping @Sendable (Menagerie, @escaping @Sendable (NSError?) -> Void) -> MenagerieRequest
    ) async throws {
        try await call(effect, of: subject) { (sdk, answer: @escaping @Sendable (Void?, NSError?) -> Void) in
            start(sdk) { @Sendable error in answer((), error) }
        } translate: {
        }
    }

    /// - Throws: `DeadlineExceeded` after `limit`.
    func within<Value: Sendable>(
        _ limit: Duration,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await clock.within(limit, operation)
    }

    /// Returns the token and account of the signed-in user.
    func session() throws -> Session {
        try lifetime.check()
        guard let session = Menagerie.shared.session else {
            throw SanctuaryError(.authenticationRequired, "no user is signed in")
        }
        return Session(token: session.token, account: try translate(session, by: .account, "session"))
    }

    struct Session: Sendable {
        var token: String
        var account: Account
    }
}

extension Vendor {
    /// Reports events dropped for a subscriber that is too far behind.
    func countDrops(of stream: String) -> @Sendable (Int) -> Void {
        { [issues] in issues.report([.dropped($0)], of: stream) }
    }

    /// Translates one value, and reports its issues.
    func translate<Source, Target>(
        _ source: Source,
        by translator: Translator<Source, Target>,
        _ operation: String
    ) throws(SanctuaryError) -> Target {
        var report = TranslationReport()
        defer { issues.report(report.issues, of: operation) }
        do throws(TranslationIssue) {
            return try translator.translate(source, into: &report)
        } catch {
            throw SanctuaryError(error)
        }
    }

    /// Translates all values of a list, or throws: a list must not have gaps.
    func translate<Source, Target>(
        _ sources: [Source],
        by translator: Translator<Source, Target>,
        _ list: String
    ) throws(SanctuaryError) -> [Target] {
        var report = TranslationReport()
        defer { issues.report(report.issues, of: list) }
        do throws(TranslationIssue) {
            return try translator.translate(sources, at: list, into: &report, policy: .failOnFirst)
        } catch {
            throw SanctuaryError(error)
        }
    }

    /// Returns a call's outcome from the arguments of the vendor's callback: a value, an error, or neither.
    private static func outcome<Source, Target>(
        _ source: Source?,
        _ error: NSError?,
        _ effect: Effect,
        _ body: (Source) throws(SanctuaryError) -> Target
    ) -> Result<Target, SanctuaryError> {
        if let error { return .failure(SanctuaryError(error, effect: effect)) }
        guard let source else { return .failure(effect.unanswered(.notFound, "the vendor has no such thing")) }
        do throws(SanctuaryError) {
            return .success(try body(source))
        } catch {
            var unanswered = effect.unanswered(error.code, error.message)
            unanswered.subject = error.subject
            return .failure(unanswered)
        }
    }
}

extension Clock where Duration == Swift.Duration {
    fileprivate func within<Value: Sendable>(
        _ limit: Duration,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withDeadline(limit, clock: self, operation)
    }
}
#endif
