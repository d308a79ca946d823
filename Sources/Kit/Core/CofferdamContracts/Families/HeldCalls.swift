import Cofferdam

/// The calls that a vendor holds, because of ``VendorFault/hold`` or ``VendorFault/stall(afterBytes:)``.
public struct HeldCalls<Subject: Sendable>: Sendable {
    /// Returns once exactly this many calls are held; a call that its caller has given up is no longer held.
    package let wait: @Sendable (Subject, _ exactly: Int) async throws -> Void
    /// Answers the calls that are held now.
    package let release: @Sendable (Subject) async throws -> Void

    /// Describes how the harness waits for held calls and answers them.
    ///
    /// - Parameters:
    ///   - wait: returns once exactly this many calls are held; a call that its caller has given up is no longer
    ///     held.
    ///   - release: answers the calls that are held now.
    public init(
        wait: @escaping @Sendable (Subject, _ exactly: Int) async throws -> Void,
        release: @escaping @Sendable (Subject) async throws -> Void
    ) {
        self.wait = wait
        self.release = release
    }

    /// Starts a call, and returns once the vendor holds `count` calls.
    ///
    /// - Throws: ``EndedEarly`` if the call ends first; ``BoundExceeded``.
    func start(
        _ call: AnyPortCall<Subject>,
        of subject: Subject,
        held count: Int = 1,
        _ context: RuleContext
    ) async throws -> Task<any Sendable, any Error> {
        try await start(call.perform(subject), call.name, of: subject, held: count, context)
    }

    /// Starts an attempt of a call, like ``start(_:of:held:_:)``.
    func start(
        _ attempt: @escaping AnyPortCall<Subject>.Perform,
        _ name: String,
        of subject: Subject,
        held count: Int = 1,
        _ context: RuleContext
    ) async throws -> Task<any Sendable, any Error> {
        let task = context.task(attempt)
        do {
            try await context.within("\(name) reaches the vendor", unless: task) { try await wait(subject, count) }
        } catch {
            task.cancel()
            throw error
        }
        return task
    }
}

extension RuleContext {
    /// Waits for `operation` for at most the rule's bound, and only as long as `call` is still in progress.
    ///
    /// - Throws: ``EndedEarly`` if the call ends first; ``BoundExceeded``; what `operation` throws.
    func within(
        _ what: String,
        unless call: Task<any Sendable, any Error>,
        _ operation: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await within(what) {
            let awaited = task(operation)
            defer { awaited.cancel() }
            try await vendorCall { complete in
                // The first of the two decides.
                _ = task { complete(await awaited.result) }
                _ = task { complete(.failure(EndedEarly(expected: what, result: await call.result))) }
                return .none
            }
        }
    }
}

/// A call ended although the vendor had not answered.
struct EndedEarly: Error, Sendable, CustomStringConvertible {
    let description: String

    init(expected what: String, result: Result<any Sendable, any Error>) {
        description = "ended before \(what): \(result.text)"
    }
}

extension Result where Success == any Sendable, Failure == any Error {
    /// The result in findings.
    var text: String {
        switch self {
        case .success(let answer): "the answer \(answer)"
        case .failure(let error): "the error \(type(of: error)): \(error)"
        }
    }
}
