public import Cofferdam  // for Effect

/// A port's call that can be made to go wrong, with its input and output types erased.
public struct FaultyCall<Subject: Sendable>: Sendable {
    /// The call's name in findings.
    let name: String
    /// What it does to the vendor's data.
    let effect: Effect
    /// Whether a user must be signed in.
    let needsSession: Bool
    /// Whether a mutant can make up a result instead of an error.
    let canFabricate: Bool
    let perform: @Sendable (Subject) async throws -> Void
    /// The call with a mistyped secret; nil if its input holds none.
    let mistyped: Mistyped?
    /// Makes all calls of the kind go wrong from now on, until ``clear``.
    let inject: @Sendable (Subject, VendorFault) async throws -> Void
    let clear: @Sendable (Subject) async throws -> Void
    /// Returns how many calls of the kind have reached the vendor.
    let arrivals: @Sendable (Subject) async throws -> Int
    /// Returns the subject with the call's errors converted by the closure.
    let converting: @Sendable (Subject, @escaping Convert) -> Subject

    /// Returns the error that replaces another, or nil for a made-up result. May make the call again.
    typealias Convert = @Sendable (any Error, _ again: @Sendable () async -> Void) async -> (any Error)?

    /// A call whose input holds ``Secret/mistyped`` in place of the secret.
    struct Mistyped: Sendable {
        let perform: @Sendable (Subject) async throws -> Void
        /// Returns the subject with the errors of this call alone converted by the closure.
        let converting: @Sendable (Subject, @escaping @Sendable (any Error) -> any Error) -> Subject
    }

    /// Describes a call that can be made to go wrong.
    ///
    /// - Parameters:
    ///   - call: the operation.
    ///   - effect: what the call does to the vendor's data; if it changes something, a lost answer may have another
    ///     category.
    ///   - needsSession: whether a user must be signed in. A 401 then starts a refresh (AUTH-01) instead of failing the
    ///     call, and without a vendor the call cannot be made at all.
    ///   - input: returns the call's input, after ``ErrorOperation`` has prepared the vendor. It is called each time,
    ///     so that a call that changes something can carry a new key.
    ///   - secret: where the input holds a secret, such as a password; nil if it holds none. ERR-06 makes the call with
    ///     a mistyped one too, which the vendor must refuse, and looks for it as for the right one.
    ///   - fabricated: what a careless adapter would return instead of an error, for the mutants that do so; nil for no
    ///     such mutants.
    ///   - inject: makes every call of the kind go wrong from now on, including the adapter's own retries.
    ///   - clear: removes the fault.
    ///   - arrivals: returns how many calls of the kind have reached the vendor so far.
    public init<Input: Sendable, Output: Sendable>(
        _ call: PortCall<Subject, Input, Output>,
        effect: Effect = .read,
        needsSession: Bool = false,
        input: @escaping @Sendable (Subject) async throws -> Input,
        secret: (any WritableKeyPath<Input, String> & Sendable)? = nil,
        fabricated: (@Sendable (Input) -> Output)? = nil,
        inject: @escaping @Sendable (Subject, VendorFault) async throws -> Void,
        clear: @escaping @Sendable (Subject) async throws -> Void,
        arrivals: @escaping @Sendable (Subject) async throws -> Int
    ) {
        name = call.name
        self.effect = effect
        canFabricate = fabricated != nil
        self.needsSession = needsSession
        self.inject = inject
        self.clear = clear
        self.arrivals = arrivals
        perform = { subject in _ = try await call(subject, try await input(subject)) }
        mistyped = secret.map { secret in
            Mistyped { subject in
                var input = try await input(subject)
                input[keyPath: secret] = Secret.mistyped
                _ = try await call(subject, input)
            } converting: { subject, convert in
                call.replaced(in: subject) { clean, input in
                    do {
                        return try await clean(input)
                    } catch {
                        throw input[keyPath: secret] == Secret.mistyped ? convert(error) : error
                    }
                }
            }
        }
        converting = { subject, convert in
            call.replaced(in: subject) { clean, input in
                do {
                    return try await clean(input)
                } catch {
                    let again: @Sendable () async -> Void = { do { _ = try await clean(input) } catch {} }
                    let converted = await convert(error, again)
                    guard converted == nil, let fabricated else { throw converted ?? error }
                    return fabricated(input)
                }
            }
        }
    }

    /// Describes a stream that is read for its first event; its error is checked like a call's.
    ///
    /// The parameters have the same meaning as for a call.
    public init<Event: Sendable>(
        _ stream: PortStream<Subject, Event>,
        needsSession: Bool = false,
        inject: @escaping @Sendable (Subject, VendorFault) async throws -> Void,
        clear: @escaping @Sendable (Subject) async throws -> Void,
        arrivals: @escaping @Sendable (Subject) async throws -> Int
    ) {
        name = stream.name
        effect = .read
        canFabricate = false
        self.needsSession = needsSession
        self.inject = inject
        self.clear = clear
        self.arrivals = arrivals
        perform = { subject in for try await _ in stream(subject) { break } }
        mistyped = nil
        converting = { subject, convert in
            stream.replaced(in: subject) { clean in
                let (events, continuation) = AsyncThrowingStream<Event, any Error>.makeStream()
                let task = Task(executorPreference: nil) {
                    do {
                        for try await event in clean() { continuation.yield(event) }
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: await convert(error) {} ?? error)
                    }
                }
                continuation.onTermination = { _ in task.cancel() }
                return events
            }
        }
    }

    func supports(_ fault: VendorFault) -> Bool { !(needsSession && fault == .status(401)) }

    /// Returns the call's error while the fault lasts; nil if there is none.
    ///
    /// - Throws: what ``inject`` and ``clear`` throw, and `BoundExceeded` if the call does not end.
    func error(
        of fault: VendorFault,
        _ subject: Subject,
        _ context: RuleContext,
        isMistyped: Bool = false
    ) async throws -> (any Error)? {
        try await inject(subject, fault)
        let error = try await error(on: subject, "\(fault) on \(name)", context, isMistyped: isMistyped)
        try await clear(subject)
        return error
    }

    func error(
        on subject: Subject,
        _ what: String,
        _ context: RuleContext,
        isMistyped: Bool = false
    ) async throws -> (any Error)? {
        let perform = isMistyped ? mistyped?.perform ?? perform : perform
        do {
            try await context.within("\(what): an answer") { try await perform(subject) }
            return nil
        } catch let error as BoundExceeded {
            throw error
        } catch {
            try Task.checkCancellation()
            return error
        }
    }
}
