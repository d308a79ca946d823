import Cofferdam
import Foundation
@preconcurrency import MenagerieV1  // its requests may be cancelled from any thread, and do not say Sendable
import SanctuaryDomain

/// The SDK as the ports use it: one call at a time made async, bounded by the deadline, with the domain's errors.
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

    /// What a call does at the vendor.
    enum Effect: Sendable {
        case reads
        /// Without an answer that can be read, it may have been done or not.
        case changes

        /// How a call ends that the vendor has not answered, or in a way that says nothing.
        func unanswered(_ code: SanctuaryError.Code, _ text: String) -> SanctuaryError {
            SanctuaryError(unanswered(code), text)
        }

        func unanswered(_ code: SanctuaryError.Code) -> SanctuaryError.Code {
            self == .reads ? code : .outcomeUnknown
        }
    }

    /// Makes one call and translates its answer.
    ///
    /// - Parameters:
    ///   - user: the user who must still be signed in when the call starts, where the vendor does not go by the token alone.
    ///   - subject: what the call asks for, which a `notFound` names.
    ///   - start: makes the vendor's call and passes on what its callback gets: a value, an error, or neither.
    ///   - translate: turns the vendor's value into the domain's, on the vendor's callback queue.
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
                    let request = start(Menagerie.shared) { answer, error in
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

    /// Makes one call whose answer is only whether it worked.
    func call(
        _ effect: Effect = .reads,
        of subject: String? = nil,
        _ start: @escaping @Sendable (Menagerie, @escaping @Sendable (NSError?) -> Void) -> MenagerieRequest
    ) async throws {
        try await call(effect, of: subject) { (sdk, answer: @escaping @Sendable (Void?, NSError?) -> Void) in
            start(sdk) { error in answer((), error) }
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

    /// The token and account of the user signed in.
    func session() throws -> Session {
        try lifetime.check()
        guard let session = Menagerie.shared.session else {
            throw SanctuaryError(.authenticationRequired, "nobody is signed in")
        }
        return Session(token: session.token, account: try translate(session, by: .account, "session"))
    }

    struct Session: Sendable {
        var token: String
        var account: Account
    }
}

extension Vendor {
    /// Tells what a subscriber who is too far behind has lost.
    func countDrops(of stream: String) -> @Sendable (Int) -> Void {
        { [issues] in issues.report([.dropped($0)], of: stream) }
    }

    /// One value; what is odd about it goes to the sink.
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

    /// All values of a list, or none: a list with a hole would be a lie.
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

    /// A call's outcome, from what the vendor's callback gave: a value, an error, or neither.
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
